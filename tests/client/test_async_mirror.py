"""The classes for coroutines are the others, awaited: compared method by method, as syntax."""

from __future__ import annotations

import ast
import inspect

import pytest

from discreet.client import classes, classes_async


class Awaited(ast.NodeTransformer):
    """Turns what is written for coroutines into what is written without them."""

    def visit_AsyncFunctionDef(self, node):
        self.generic_visit(node)
        fields = {name: getattr(node, name) for name in ast.FunctionDef._fields}
        return ast.FunctionDef(**fields)

    def visit_Await(self, node):
        return self.visit(node.value)

    def visit_Name(self, node):
        renamed = node.id.replace("Async", "Remote").replace("withhold_async", "withhold")
        return ast.Name(renamed, node.ctx)


def methods(module, awaited):
    tree = ast.parse(inspect.getsource(module))
    if awaited:
        tree = Awaited().visit(tree)
    return {
        each.name.replace("Async", "Remote"): {
            inner.name: ast.dump(inner) for inner in each.body if isinstance(inner, ast.FunctionDef)
        }
        for each in tree.body
        if isinstance(each, ast.ClassDef)
    }


PLAIN, AWAITED = methods(classes, False), methods(classes_async, True)


def test_both_have_the_same_classes():
    assert list(PLAIN) == list(AWAITED)
    assert len(PLAIN) >= 8


@pytest.mark.parametrize("name", PLAIN)
def test_a_class_for_coroutines_has_the_same_methods(name):
    assert AWAITED[name] == PLAIN[name]
