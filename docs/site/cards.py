"""A page for every algorithm, made from the registry."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from sections import anchor, link_sections, titles
from svg import draw_lines, raw
from texts import table, toctree

from discreet.algorithms import Setting
from discreet.algorithms.option_help import HELP
from discreet.algorithms.plain import plain_words
from discreet.algorithms.registry import Algorithm, Instance, list_algorithms
from discreet.errors import DiscreetError
from discreet.options import Option
from discreet.problems import Problem

DELTA = 1e-6  # for algorithms that need one
CURVES = Path(__file__).with_name("curves.json")


def write_cards(folder: Path) -> int:
    """Write a page per algorithm and one with all of them; return how many there are."""
    (folder / "algorithms").mkdir(parents=True)
    curves = json.loads(CURVES.read_text()) if CURVES.is_file() else {}
    rows: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for name, known in list_algorithms().items():
        setting, instance = _built(known)
        page = _card(known, setting, instance, curves.get(name))
        (folder / "algorithms" / f"{name}.md").write_text(page)
        bound = instance.regret_bound
        rows[_kind(known.problem)].append(
            (
                f"[{name}](algorithms/{name}.md)",
                known.title,
                _model(instance),
                known.credit(),
                "" if bound is None else f"{bound:,.0f}",
            )
        )
    text = [
        "# Algorithms",
        "",
        "All named algorithms. The bound is on the expected regret for any losses that are fixed "
        "in advance, at the sizes on the algorithm's page (mostly 100,000 rounds and ε = 1). "
        "To choose an algorithm, see [Which tool do I need?](start/which.md) or run "
        "`discreet plan`.",
    ]
    head = ("algorithm", "description", "model", "source", "bound")
    for kind, mine in rows.items():
        text += ["", f"## {kind}", "", *table(head, mine)]
    text += ["", *toctree([f"algorithms/{name}" for name in list_algorithms()], hidden=True), ""]
    (folder / "algorithms.md").write_text("\n".join(text))
    return sum(map(len, rows.values()))


def _built(known: Algorithm) -> tuple[Setting[Problem], Instance]:
    """Return an algorithm at the usual numbers; with a delta if it does not do without."""
    setting = known.setting()
    try:
        return setting, known.build(setting)
    except DiscreetError:
        setting = known.setting(delta=DELTA)
        return setting, known.build(setting)


def _card(
    known: Algorithm, setting: Setting[Problem], instance: Instance, curve: dict[str, object] | None
) -> str:
    name, guarantee = known.name, instance.guarantee
    delta = f", delta={setting.delta:g}" if setting.delta else ""
    flag = f" --delta {setting.delta:g}" if setting.delta else ""
    facts = [
        ("plays", f"{known.problem.sizes} (or other sizes)"),
        ("model", _model(instance)),
        ("guarantee", _linked(str(guarantee))),
        ("noise", ", ".join(f"{each.kind}, scale {each.scale:.4g}" for each in _noises(instance))),
        *((key.replace("_", " "), _number(value)) for key, value in instance.parameters.items()),
        (known.problem.score, _bound(instance)),
        ("without privacy", f"[{known.twin}]({known.twin}.md)" if known.twin else "–"),
        ("from", known.credit(whole=True)),
    ]
    lines = [f"# {name}", "", f"{known.title[0].upper()}{known.title[1:]}.", ""]
    lines += [
        f"All numbers are for {setting.problem.sizes}, {setting.rounds:,} rounds and "
        f"ε = {setting.epsilon:g}{f', δ = {setting.delta:g}' if setting.delta else ''}; "
        f"`discreet describe {name}` computes them for other sizes.",
        "",
        ":::{table}",
        ":class: facts",
        "",
        *table(("", ""), [(key, value or "none") for key, value in facts]),
        ":::",
        "",
    ]
    if guarantee.is_private:
        lines += ["## In plain words", "", " ".join(plain_words(instance, setting).split()), ""]
    if curve:
        lines += ["## Measured", "", str(curve["words"]), "", *draw_curve(curve), ""]
    lines += ["## Use", "", "```sh", f"discreet describe {name}{flag}"]
    lines += [f"discreet simulate {name}{f' {known.twin}' if known.twin else ''}{flag}"]
    lines += [f"discreet audit {name}{flag}"] if guarantee.is_private else []
    lines += ["```", "", "```python", f"from discreet import algorithm, {_call(known)}", ""]
    lines += [f'known = algorithm("{name}")']
    lines += [f"print(known.build(known.setting({delta[2:]})).guarantee)"]
    lines += [f'print({_call(known)}("{name}", rounds=10_000, trials=8, seed=1{delta}))']
    lines += ["```", "", "## Options", "", *_options(known), ""]
    return "\n".join(lines)


def _call(known: Algorithm) -> str:
    """Return the function that plays it: searches for the best arm have their own."""
    return "search" if known.problem.stops else "simulate"


def _options(known: Algorithm) -> list[str]:
    rows = [
        (f"`{each.name}`", _values(each), _default(each), HELP[each.name])
        for each in known.options.values()
    ]
    rows += [("`low`, `high`", "numbers", "0, 1", "The declared range of losses.")]
    return table(("option", "values", "default", ""), rows)


def _values(option: Option) -> str:
    if option.choices:
        return ", ".join(f"`{each}`" for each in option.choices)
    text = str(option.kind)
    for words, found in (("whole number", "int"), ("number", "float"), ("text", "str")):
        if found in text:
            return words
    return "numbers"


def _default(option: Option) -> str:
    if option.default is None:
        return "chosen"
    return f"`{option.default}`"


def _noises(instance: Instance) -> Iterator[object]:
    yield from instance.private.channel.noise_scales


def _model(instance: Instance) -> str:
    return instance.guarantee.as_dict()["model"] if instance.guarantee.is_private else "no privacy"


def _bound(instance: Instance) -> str:
    source = _linked(instance.bound_source)
    if instance.regret_bound is None:
        return source
    return f"at most {instance.regret_bound:,.0f} for losses fixed in advance ({source})"


def _kind(problem: Problem) -> str:
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", type(problem).__name__).lower()
    return words[0].upper() + words[1:]


def _number(value: float | int | str) -> str:
    return value if isinstance(value, str) else f"{value:,.5g}"


def _linked(text: str) -> str:
    """Return a text in which the names of sections are links."""

    def link(page: str, title: str) -> str:
        number = titles(page)[title]
        theorem = f" (Theorem {number})" if number else ""
        return f"[{title}{theorem}](../docs/{page}.md#{anchor(title)})"

    linked = link_sections(text, link)
    linked = re.sub(r"(?<!/)docs/(\w+)\.md", r"[\1](../docs/\1.md)", linked)
    return linked.replace("|", "\\|")


def draw_curve(curve: dict[str, object]) -> list[str]:
    """Return a small figure of regret over rounds; the second line is without privacy."""
    lines: dict[str, list[float]] = curve["regret"]  # type: ignore[assignment]
    values = [value for line in lines.values() for value in line]
    return raw(
        draw_lines(
            curve["rounds"],  # type: ignore[arg-type]
            lines,
            str(curve["words"]),
            low=min(0.0, *values),
            top=max(1.0, *values),
            muted=list(lines)[1:],
        )
    )
