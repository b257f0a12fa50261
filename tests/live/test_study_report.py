"""Study reports from run files: complete, in three forms, and without disturbing a writer."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
from makers import ask, every_kind, make, tell

from discreet import Bandit, BestArmSearch, DiscreetError
from discreet.cli import run as command
from discreet.live.study_report import report_on

RAW = 0.7390851332151607


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def bandit(path, rounds=12, **options):
    usual = {"arms": ["A|B", "C"], "horizon": 100, "epsilon": 1.0, "algorithm": "batched-exp3"}
    found = Bandit(**usual | {"batch_size": 4, "path": path} | options)
    for _ in range(rounds):
        found.tell(found.ask(), reward=RAW)
    return found


def test_a_report_has_everything(tmp_path):
    path = tmp_path / "run.db"
    bandit(path, rounds=14).close()
    report = report_on(path)
    text = report.text()
    for title in ("Design", "Privacy", "Allocation", "Estimates", "Budget", "Lost outcomes"):
        assert f"\n{title}\n---" in text
        assert f"\n## {title}\n" in report.markdown()
    assert "14 of 100" in text
    assert "at most 2.72 times more or less likely" in " ".join(text.split())
    known = [arm.releases > 0 for arm in report.estimates.arms.values()]
    assert ("A|B - C" in text) is all(known)
    assert (r"A\|B - C" in report.markdown()) is all(known)
    assert "epsilon 1, for each outcome" in text
    assert sum(each.rounds for each in report.allocation) == 14
    assert "Losses" not in text
    assert report.estimates.arms == Bandit.open(path).estimates().arms
    assert all(len(line) <= 100 for line in text.splitlines())


def test_json_has_the_same_numbers(tmp_path, capsys):
    path = tmp_path / "run.db"
    bandit(path).close()
    assert command(["report", str(path), "--format", "json", "--outcomes", "losses"]) == 0
    found = json.loads(capsys.readouterr().out)
    report = report_on(path, outcomes="losses")
    assert found["guarantee"]["epsilon"] == 1.0
    assert [each["rounds"] for each in found["allocation"]] == [
        each.rounds for each in report.allocation
    ]
    for each, arm in zip(found["estimates"]["arms"], report.estimates.arms.values(), strict=True):
        assert each["mean"] == (arm.mean if arm.releases else None)
    assert found["lost"] == {"batches": 0, "unfinished": 0, "open_decisions": 0, "unused": 0}
    design = found["design"]
    assert (design["decisions"], design["horizon"], design["releases"]) == (12, 100, 3)
    assert (design["low"], design["high"], design["clip"]) == (0.0, 1.0, False)
    assert design["wait_seconds"] is None
    assert datetime.fromisoformat(design["first_release"]).tzinfo is not None
    assert found["budget"] == {
        "epsilon": 1.0,
        "delta": 0.0,
        "rounds_per_user": 1,
        "period_seconds": None,
        "charged_to_a_ledger": False,
    }
    assert (found["holdout"], found["no_estimates"]) == (None, None)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_the_command_prints_and_draws(form, tmp_path, capsys):
    path = tmp_path / "run.db"
    bandit(path).close()
    plot = tmp_path / "forest.png"
    assert command(["report", str(path), "--format", form, "--plot", str(plot)]) == 0
    report = report_on(path)
    assert capsys.readouterr().out.strip() == (
        report.text() if form == "text" else report.markdown()
    )
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_reading_disturbs_no_writer(tmp_path):
    """The file and its log are the same before and after, and the writer goes on."""
    path = tmp_path / "run.db"
    running = bandit(path)
    late, before = running.ask(), files(tmp_path)
    report = report_on(path)
    after = files(tmp_path)
    before.pop("run.db-shm"), after.pop("run.db-shm")  # who reads is noted there
    assert after == before
    assert report.lost.open_decisions == 1
    running.tell(late, reward=RAW)
    for _ in range(3):
        running.tell(running.ask(), reward=RAW)
    assert report_on(path).design.releases == 4
    running.close()
    closed = files(tmp_path)
    report_on(path)
    assert files(tmp_path) == closed


def test_nothing_raw_is_shown(tmp_path):
    """With a wait, outcomes themselves are in the file, encrypted; no key is read here."""
    path = tmp_path / "run.db"
    running = bandit(path, wait=timedelta(days=30), default_reward=0.25)
    report = report_on(path)
    shown = report.text() + report.markdown() + json.dumps(report.as_dict())
    assert str(RAW)[:8] not in shown
    assert "30 days; then a missing outcome counts as 0.25" in report.text()
    assert report.lost.unused is None  # the number of answers is not public
    assert (report.design.wait_seconds, report.design.default) == (2_592_000.0, [0.25])
    assert report.design.releases == 0
    running.close()


def test_why_there_are_no_estimates(tmp_path):
    path = tmp_path / "run.db"
    bandit(path, clip=True).close()
    report = report_on(path)
    assert report.estimates is None
    assert "the run has clip=True" in report.text()
    assert "the run has clip=True" in report.as_dict()["no_estimates"]
    assert report.as_dict()["estimates"] is None
    assert report_on(path, clipped=True).estimates is not None


def test_a_search_has_a_report(tmp_path):
    path = tmp_path / "run.db"
    with BestArmSearch(arms=["A", "B"], epsilon=1.0, path=path) as search:
        for _ in range(20):
            search.tell(search.ask(), reward=1.0)
    assert "at most 10000000 decisions" in report_on(path).in_words.replace(",", "")


def test_other_files_are_refused_in_one_sentence(tmp_path):
    with pytest.raises(DiscreetError, match=r"^path is .*, but there is no file\.$"):
        report_on(tmp_path / "nothing.db")
    (tmp_path / "text.db").write_text("no database, but a text that is long enough" * 20)
    with pytest.raises(DiscreetError, match=r"text\.db is a file of another kind, not a run\.$"):
        report_on(tmp_path / "text.db")
    bandit(tmp_path / "run.db").close()
    with pytest.raises(DiscreetError, match=r"level is 2, but must be above 0 and below 1"):
        report_on(tmp_path / "run.db", level=2)


@every_kind
def test_every_live_class_has_a_report(kind, tmp_path):
    path, waiting = tmp_path / "run.db", kind in ("batch", "contexts")
    late = {"wait": 60.0, "default_loss": 0.25} if waiting else {}
    with make(kind, path=path, **late) as face:
        for _ in range(5):
            tell(face, ask(face))
        guarantee = face.guarantee
    report = report_on(path)
    text, facts = report.text(), json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert facts["design"]["decisions"] == 5
    assert report.guarantee == guarantee
    assert " times more or less likely" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100
    assert report.markdown().startswith("# Study report: run.db")
    counted = type(face).__name__ in ("Bandit", "BestArmSearch", "Experts", "Advisor")
    assert bool(report.allocation) is counted
    assert sum(each.rounds for each in report.allocation) == 5 * counted
    if report.estimates is None:
        assert "has no estimates with intervals; only Bandit and" in report.no_estimates
        with pytest.raises(DiscreetError) as refusal:
            make(kind).estimates(level=0.9)
        assert str(refusal.value) == report.no_estimates


def test_users_and_a_final_release_are_in_the_words(tmp_path):
    """The factor is e^(0.5 + 0.5) for one round, and e^2 for two."""
    path, own = tmp_path / "run.db", {"epsilon": 0.5, "final": 0.5}
    bandit(path, **own).close()
    assert "at most 2.72 times" in " ".join(report_on(path).text().split())
    limit = {"max_rounds_per_user": 2, "per": timedelta(days=30)}
    bandit(tmp_path / "users.db", rounds=0, **own, **limit).close()
    report = report_on(tmp_path / "users.db")
    said = " ".join(report.text().split())
    assert "of 2 rounds of one person in one period of 30 days had been different" in said
    assert "at most 7.39 times" in said
    assert "for 2 outcomes of a user in one period of 30 days and the whole run" in said
    assert report.as_dict()["budget"]["period_seconds"] == 2_592_000.0


def test_the_hold_out_is_in_the_report(tmp_path):
    path = tmp_path / "run.db"
    running = bandit(path, rounds=40, explore=0.5)
    report = report_on(path)
    assert "Hold-out\n--------\nA round is held out with probability 0.5." in report.text()
    assert not report.holdout.released
    assert running.finish_holdout()
    report = report_on(path)
    found = {each.arm: (each.rounds, each.mean) for each in report.holdout.arms}
    assert found == {
        each.arm: (each.rounds, pytest.approx(each.reward)) for each in running.held_out
    }
    assert "noisy mean" in report.text()
    losses = report_on(path, outcomes="losses").as_dict()["holdout"]["arms"]
    assert [each["mean"] for each in losses] == [
        pytest.approx(each.loss) for each in running.held_out
    ]
    assert report_on(path, kind="holdout").estimates.kind == "holdout"
    running.close()


def test_retired_arms_are_marked(tmp_path):
    path = tmp_path / "run.db"
    running = bandit(path, algorithm="batched-ucb", batch_size=None, capacity=4)
    running.add_arm("D")
    running.retire_arm("C")
    running.close()
    report = report_on(path)
    assert [(each.arm, each.retired) for each in report.allocation] == [
        ("A|B", False),
        ("C", True),
        ("D", False),
    ]
    assert "\nC (retired) " in report.text()


@pytest.mark.parametrize("kind", ["final", "holdout"])
def test_estimates_that_a_run_does_not_have_are_refused(kind, tmp_path, capsys):
    path = tmp_path / "run.db"
    bandit(path).close()
    assert command(["report", str(path), "--kind", kind]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"kind is {kind}, but this run" in shown.err
    assert len(shown.err.splitlines()) == 1
    make("tree", path=tmp_path / "experts.db").close()
    assert command(["report", str(tmp_path / "experts.db"), "--kind", kind]) == 2
    assert command(["report", str(tmp_path / "experts.db"), "--plot", "x.png"]) == 2
    assert "Experts has no estimates" in capsys.readouterr().err


def test_a_control(tmp_path, capsys):
    path = tmp_path / "run.db"
    bandit(path, arms=[1, 2, 3], rounds=100, explore=0.9).close()
    assert command(["report", str(path), "--kind", "holdout", "--control", "2"]) == 0
    text = capsys.readouterr().out
    assert "\n1 - 2 " in text
    assert "\n3 - 2 " in text
    assert "\n1 - 3 " not in text
    assert command(["report", str(path), "--control", "7"]) == 2
    assert "control is '7', but must be one of 1, 2, 3" in capsys.readouterr().err


def test_a_simulation_says_so_first(tmp_path):
    path = tmp_path / "run.db"
    bandit(path, simulation=True).close()
    assert report_on(path).in_words.startswith("This is a simulation: its noise protects nobody")


def test_a_wait_is_shown_in_a_fitting_unit(tmp_path):
    options = {"wait": 1, "default_reward": 0.0, "algorithm": "batched-exp3"}
    path = tmp_path / "run.db"
    with bandit(path, **options):
        pass
    said = " ".join(report_on(path).text().split())
    assert "wait 1 second; then a missing outcome counts as 0" in said
    assert "12 (their outcomes may still arrive; those after their deadline are counted" in said
    assert "release_due() or ask is called)" in said


def test_outcomes_are_numbers_in_the_words(tmp_path):
    path = tmp_path / "run.db"
    bandit(path).close()
    assert "(numbers from 0 to 1)" in report_on(path).in_words


def test_outcomes_without_a_release_are_counted(tmp_path):
    path = tmp_path / "run.db"
    running = bandit(path, rounds=11, final=0.5)
    waiting = running.ask()
    found = report_on(path)
    assert (found.lost.unfinished, found.lost.unused, found.lost.open_decisions) == (1, 3, 1)
    text = " ".join(found.text().split())
    assert "unfinished batches 1 (with 3 outcomes that no release contains yet)" in text
    assert "open decisions 1 (their outcomes may still arrive)" in text
    assert running.tell(waiting, reward=RAW)
    running.tell(running.ask(), reward=RAW)
    running.finish()
    running.close()
    found = report_on(path, kind="final")
    assert (found.lost.batches, found.lost.unused) == (1, 0)
    text = " ".join(found.text().split())
    assert "or the run was finished)" in text
    assert "(docs/proofs.md: Final release)" in text
    assert "Anytime estimates" not in text


def test_a_folder_is_no_run(tmp_path, capsys):
    assert command(["report", str(tmp_path)]) == 2
    assert "which is a folder: give a file." in capsys.readouterr().err
