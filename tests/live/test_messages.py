"""What live classes say: each refusal names the argument that was given, and what to do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from makers import bandit, contextual, every_kind, make

from discreet import Bandit, DiscreetError, Experts, Ledger, LocalServer, Optimizer, SlateBandit

STUDY = {"arms": ["a", "b"], "horizon": 400, "epsilon": 1.0}
CHANGING = {**STUDY, "algorithm": "batched-ucb", "capacity": 4}


@pytest.mark.parametrize(
    ("make_it", "given", "words"),
    [
        (Bandit, {"default_loss": 2.0}, "^default_loss is outside the declared range 0 to 1.$"),
        (Bandit, {"default_reward": -1.0}, "^default_reward is outside the declared range 0 to"),
        (Bandit, {"default_loss": "x"}, "^default_loss is of type str, but must be a finite "),
        (Bandit, {"default_loss": math.inf}, "^default_loss is not a finite number.$"),
        (
            Bandit,
            {"default_loss": 0.0, "default_reward": 1.0},
            "^default_reward and default_loss are both given: give only one.$",
        ),
        (SlateBandit, {"default_loss": 2.0}, "^default_loss is outside the declared range"),
        (Optimizer, {"default_loss": 2.0}, "^default_loss is outside the declared range"),
        (Experts, {"default_losses": [2.0, 0.0]}, "^default_losses leave the declared range"),
        (Experts, {"default_rewards": [1.0]}, "^default_rewards have the shape"),
        (
            Experts,
            {"default_rewards": [1.0, 0.0], "default_losses": [1.0, 0.0]},
            "^default_rewards and default_losses are both given: give only one.$",
        ),
    ],
)
def test_a_bad_default_is_called_by_its_own_name(make_it, given, words):
    sizes = {
        Bandit: {"arms": 2},
        SlateBandit: {"items": 3, "shown": 2},
        Optimizer: {"domain": "ball(2)", "delta": 1e-6},
        Experts: {"experts": 2},
    }[make_it]
    with pytest.raises(DiscreetError, match=words):
        make_it(**sizes, horizon=400, epsilon=1.0, wait=60.0, **given)


def test_an_arm_is_retired_once():
    face = Bandit(**CHANGING)
    face.retire_arm("a")
    with pytest.raises(DiscreetError, match=r"^label is 'a', an arm that is already retired.$"):
        face.retire_arm("a")
    with pytest.raises(DiscreetError, match=r"^label is 'z', which is not an arm of this run.$"):
        face.retire_arm("z")
    assert repr(face).startswith("Bandit(1 arm, round 0")


@pytest.mark.parametrize("used", ["capacity", "available"])
def test_a_guard_is_named_where_it_is_the_reason(used):
    made = {**STUDY, "algorithm": "tracking-ucb", "guard": True}
    words = f"^{used} is used, but tracking-ucb with guard=True needs all of its arms: .* guard.$"
    face, capacity = Bandit(**made), {"capacity": 4}
    attempt = {
        "capacity": lambda: Bandit(**made | capacity),
        "available": lambda: face.ask(available=["a"]),
    }
    with pytest.raises(DiscreetError, match=words):
        attempt[used]()


def test_a_hold_out_that_is_not_released():
    with pytest.raises(DiscreetError, match=r"this happens when it has ended \(at the horizon"):
        bandit(explore=0.5).estimates(kind="holdout")


@every_kind
@pytest.mark.parametrize("given", [np.array(["serve", "refuse"]), np.array("serve"), 3, None, []])
def test_at_limit_must_be_a_word(kind, given):
    face = make(kind)
    first = {"contexts": [[0.5]], "advice": [[[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]]}
    before = next((value for name, value in first.items() if name in kind), [])
    with pytest.raises(DiscreetError, match=r"^at_limit is .*, but must be one of refuse, serve.$"):
        face.ask(*before, at_limit=given)


@pytest.mark.parametrize("given", [np.array("a"), np.array(0), np.array([["a"]]), 3, "a"])
def test_available_must_be_a_list(given):
    with pytest.raises(DiscreetError, match=r"^available is .*, but must be a list of"):
        Bandit(**CHANGING).ask(available=given)
    with pytest.raises(DiscreetError, match=r"^available .*must be"):
        contextual().ask([0.5], available=given)
    assert Bandit(**CHANGING).ask(available=np.array(["b"])).arm == "b"


@pytest.mark.parametrize("content", [b"", b"text, and no database " * 50])
def test_nothing_is_left_beside_a_file_that_is_no_run(content, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    for attempt in (lambda: Bandit.open(path), lambda: LocalServer.open(path)):
        with pytest.raises(DiscreetError, match="is a file of another kind, not a "):
            attempt()
    if content:
        with pytest.raises(DiscreetError, match="is a file of another kind, not a run"):
            bandit(path=path)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]
    assert path.read_bytes() == content


def test_nothing_is_left_beside_another_database(tmp_path):
    path = tmp_path / "ledger.db"
    Ledger(epsilon=1.0, path=path)
    with pytest.raises(DiscreetError, match=r"ledger.db is a file of another kind, not a run.$"):
        Bandit.open(path)
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.db"]
