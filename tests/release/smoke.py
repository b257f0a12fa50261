"""What a new installation must be able to do; run by ``make wheels`` outside of the repository."""

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import discreet
from discreet import Bandit, audit, plan, simulate


def main() -> None:
    """Use the parts that need other packages."""
    assert discreet.__version__ == version("discreet")
    assert "site-packages" in discreet.__file__, (
        "the installed package is tried, not the repository"
    )

    results = simulate("one-bit-tsallis-inf", rounds=1000, trials=2, seed=1)
    assert results.regret.shape[1] == 2
    with tempfile.TemporaryDirectory() as folder:
        path, key = Path(folder) / "run.db", Path(folder) / "key"
        with Bandit(arms=["A", "B"], horizon=100, epsilon=1.0, path=path, key=key) as bandit:
            bandit.tell(bandit.ask(), reward=1.0)
            assert bandit.guarantee.epsilon == 1.0
        with Bandit.open(path, key=key) as bandit:
            assert bandit.state().round == 1
        results.plot().figure.savefig(Path(folder) / "regret.png")
    found = audit("batched-exp3", trials=2000)
    assert not found.violated
    assert "arm" in str(plan(arms=2, rounds=200, difference=0.3, trials=8))
    print(f"discreet {discreet.__version__} works with Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
