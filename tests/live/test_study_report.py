"""Study reports from run files: complete, in three forms, and without disturbing a writer."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from makers import make

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
    for title in ("Design", "Privacy", "Allocation", "Estimates", "Budget", "Losses"):
        assert f"\n{title}\n---" in text
        assert f"\n## {title}\n" in report.markdown()
    assert "14 of 100" in text
    assert "at most 2.72 times more or less likely" in " ".join(text.split())
    known = [arm.releases > 0 for arm in report.estimates.arms.values()]
    assert ("A|B - C" in text) is all(known)
    assert (r"A\|B - C" in report.markdown()) is all(known)
    assert "epsilon 1, for each outcome" in text
    assert sum(report.allocation.values()) == 14
    assert report.estimates.arms == Bandit.open(path).estimates().arms
    assert all(len(line) <= 100 for line in text.splitlines())


def test_json_has_the_same_numbers(tmp_path, capsys):
    path = tmp_path / "run.db"
    bandit(path).close()
    assert command(["report", str(path), "--format", "json", "--outcomes", "losses"]) == 0
    found = json.loads(capsys.readouterr().out)
    report = report_on(path, outcomes="losses")
    assert found["guarantee"]["epsilon"] == 1.0
    assert [each["rounds"] for each in found["allocation"]] == list(report.allocation.values())
    for each, arm in zip(found["estimates"]["arms"], report.estimates.arms.values(), strict=True):
        assert each["mean"] == (arm.mean if arm.releases else None)
    assert found["losses"]["unfinished batches"] == "0"


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
    assert report.losses["open decisions"].startswith("1 ")
    running.tell(late, reward=RAW)
    for _ in range(3):
        running.tell(running.ask(), reward=RAW)
    assert report_on(path).design["releases"] == "4"
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
    assert report.design["waiting"] == "30 days for an outcome; then 0.25 counts"
    assert report.design["releases"] == "0"
    running.close()


def test_why_there_are_no_estimates(tmp_path):
    path = tmp_path / "run.db"
    bandit(path, clip=True).close()
    report = report_on(path)
    assert report.estimates is None
    assert "clip=True was declared" in report.text()
    assert "clip=True was declared" in report.as_dict()["estimates"]
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
    make("tree", path=tmp_path / "experts.db").close()
    with pytest.raises(DiscreetError, match="is a run of Experts, but a report is for"):
        report_on(tmp_path / "experts.db")
    bandit(tmp_path / "run.db").close()
    with pytest.raises(DiscreetError, match=r"level is 2, but must be above 0 and below 1"):
        report_on(tmp_path / "run.db", level=2)
