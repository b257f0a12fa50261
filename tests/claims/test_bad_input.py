"""Bad input of every kind gets one sentence that names what is wrong, before anything is done or written."""

from __future__ import annotations

import shlex
import sys

import bad_sets
import numpy as np
import pytest

import discreet
from discreet import channels, checks, learners, mechanisms, problems
from discreet.cli import main
from discreet.environments import environment
from discreet.learners.wrapping import Wrapping
from discreet.sets import Box


def sim(*algorithms, **arguments):
    return discreet.simulate(*algorithms, **{"rounds": 50, "trials": 1} | arguments)


def private(arms=4):
    channel = channels.Batch.laplace(size=10, epsilon=0.5, bounds=discreet.Range(0.0, 1.0))
    return discreet.Private(channel, learners.Exp3.start(arms=arms, learning_rate=0.01))


NAMES = {name: value for module in (channels, learners, mechanisms, problems) for name, value in vars(module).items()}
NAMES |= {name: getattr(discreet, name) for name in discreet.__all__}
NAMES |= {name: getattr(checks, name) for name in checks.__all__}
NAMES |= {"np": np, "sim": sim, "environment": environment, "Wrapping": Wrapping, "Box": Box}
NAMES |= bad_sets.NAMES
NAMES |= {
    "C": discreet.Contender,
    "P": private,
    "R": discreet.Range(0.0, 1.0),
    "G": discreet.Guarantee(epsilon=1.0, delta=0.0, model="central", status="proved", source="x"),
    "GD": discreet.Guarantee(epsilon=1.0, delta=1e-6, model="central", status="proved", source="x"),
}

CALLS = [
    ("check_channel(None)", "channel is None, but must be a Channel."),
    ("check_learner(None)", "learner is None, but must be a Learner."),
    ("check_environment(3)", "environment is 3, but must be an Environment."),
    ("check_private(None, None)", "private is None, but must be a Private or OnDevice."),
    ('check_private(P(), "stochastic")', "environment is 'stochastic', but must be an Environment."),
    ("check_non_interference(P(), None)", "problem is None, but must be a Problem."),
    (
        "Bandit(2, 10, 1.0, wait=5)",
        "wait and a default belong together: after the wait the default counts as the outcome.",
    ),
    ("Bandit(2, 10, 1.0, wait=0, default_loss=0.5)", "wait is 0, but must be"),
    ("Bandit(2, 10, 1.0, wait=5, default_loss=7.0)", "the loss is outside the declared range 0 to 1"),
    ('Bandit(2, 10, 1.0, key="a.key")', "key is given, but without path= nothing is written that it could hide."),
    ("audit_release_times(None)", "the subject is None, but must be a run that is used live."),
    ("LiveRun.over(None, horizon=5)", "private is None, but must be a Private."),
    ("Range(1, 0)", "low is 1 and high is 0, but low must be below high."),
    ("Range(0, 0)", "low is 0 and high is 0, but low must be below high."),
    ("Range(None, 1)", "low is None, but must be a finite number."),
    ('Range("0", "1")', "low is '0', but must be a finite number."),
    ('Range(float("nan"), 1)', "low is nan, but must be a finite number."),
    ('Range(0, float("inf"))', "high is inf, but must be a finite number."),
    (
        "Private(Exp3.start(arms=4, learning_rate=.01), Batch.laplace(size=10,epsilon=.5,bounds=R))",
        "channel is of type Exp3, but Private needs a Channel there.",
    ),
    ("Private(None, None)", "channel is None, but Private needs a Channel there."),
    ("Private(Batch.laplace(size=10,epsilon=.5,bounds=R), None)", "learner is None, but Private needs a Learner there."),
    (
        'sim(C(label="x",private=P(5)),environment="stochastic",arms=4)',
        "the learner is for 5 actions, but the game has 4: they must agree.",
    ),
    (
        'sim(C(label="x",private=P(3)),environment="stochastic",arms=4)',
        "the learner is for 3 actions, but the game has 4: they must agree.",
    ),
    ("sim(None)", "algorithms is None, but must be a name, a Contender or a list of them."),
    ("sim([])", "algorithms is empty, but at least one is needed."),
    ("sim([None])", "unknown algorithm None"),
    ('sim("exp33")', "unknown algorithm 'exp33': did you mean 'exp3'?"),
    ('sim(["exp3", 3])', "unknown algorithm 3"),
    ('sim(["exp3","exp3"])', "algorithm 'exp3' is given 2 times, but each plays once."),
    ('sim("exp3", arms="4")', "arms is '4', but must be a whole number of at least 2."),
    ('sim("exp3", arms=4.0)', "arms is 4.0, but must be a whole number of at least 2."),
    ('sim("exp3", arms=True)', "arms is True, but must be a whole number of at least 2."),
    ('sim("exp3", arms=1)', "arms is 1, but must be a whole number of at least 2."),
    ('sim("exp3", arms=-1)', "arms is -1, but must be a whole number of at least 2."),
    ('sim("exp3", rounds="50")', "rounds is '50', but must be a whole number of at least 2."),
    ('sim("exp3", rounds=1)', "rounds is 1, but must be a whole number of at least 2."),
    ('sim("exp3", rounds=50.0)', "rounds is 50.0, but must be a whole number of at least 2."),
    ('sim("exp3", rounds=float("nan"))', "rounds is nan, but must be a whole number of at least 2."),
    ('sim("exp3", trials=0)', "trials is 0, but must be a whole number of at least 1."),
    ('sim("exp3", trials=None)', "trials is None, but must be a whole number of at least 1."),
    ('sim("exp3", trials="3")', "trials is '3', but must be a whole number of at least 1."),
    ('sim("exp3", seed=-1)', "seed is -1, but must be a whole number of at least 0."),
    ('sim("exp3", seed=None)', "seed is None, but must be a whole number of at least 0."),
    ('sim("exp3", seed="x")', "seed is 'x', but must be a whole number of at least 0."),
    ('sim("exp3", workers=0)', "workers is 0, but must be a whole number of at least 1."),
    ('sim("exp3", workers="2")', "workers is '2', but must be a whole number of at least 1."),
    ('sim("batched-exp3", epsilon=None)', "epsilon is None, but must be a finite number above 0."),
    ('sim("batched-exp3", epsilon="1")', "epsilon is '1', but must be a finite number above 0."),
    ('sim("batched-exp3", epsilon=[])', "epsilon is empty, but at least one value is needed."),
    ('sim("batched-exp3", epsilon=[1.0, None])', "epsilon is None, but must be a finite number above 0."),
    ('sim("batched-exp3", epsilon=0)', "epsilon is 0, but must be a finite number above 0."),
    ('sim("batched-exp3", epsilon=-1)', "epsilon is -1, but must be a finite number above 0."),
    ('sim("batched-exp3", epsilon=float("inf"))', "epsilon is inf, but must be a finite number above 0."),
    ('sim("batched-exp3", epsilon=[[1.0, 2.0]])', "epsilon is [1.0, 2.0], but must be a finite number above 0."),
    ('sim("batched-exp3", epsilon=[1.0, 1.0])', "epsilon 1 is given 2 times, but each is played once."),
    ('sim("batched-exp3", delta=None)', "delta is None, but must be between 0 and 1."),
    ('sim("batched-exp3", delta=-1)', "delta is -1, but must be between 0 and 1."),
    ('sim("batched-exp3", delta="x")', "delta is 'x', but must be between 0 and 1."),
    ('sim("batched-exp3", delta=1.5)', "delta is 1.5, but must be between 0 and 1."),
    ('sim("exp3", low=1, high=0)', "low is 1 and high is 0, but low must be below high."),
    ('sim("exp3", low=None)', "low is None, but must be a finite number."),
    ('sim("exp3", low="0")', "low is '0', but must be a finite number."),
    ('sim("exp3", high=float("inf"))', "high is inf, but must be a finite number."),
    ('sim("exp3", options=3)', "options is 3, but must be a dictionary of options by name."),
    (
        'sim("exp3", options=[("learning_rate", 1)])',
        "options is [('learning_rate', 1)], but must be a dictionary of options by name.",
    ),
    ('sim("exp3", options={"learning_rat": 1})', "unknown option 'learning_rat': did you mean 'learning_rate'?"),
    ('sim("exp3", options={"learning_rate": "x"})', "learning_rate is 'x', but must be a finite number above 0."),
    ('sim("exp3", options={3: 1})', "unknown option 3"),
    ('sim("exp3", environment=3)', "environment is 3, but must be a name, an Environment or a table of losses."),
    ('sim("exp3", environment="stochastik")', "unknown environment 'stochastik': did you mean 'stochastic'?"),
    (
        'sim("exp3", environment=Arms(4))',
        "environment is Arms(arms=4), but must be a name, an Environment or a table of losses.",
    ),
    ('sim("exp3", environment=[[0,1],[1,0]])', "rounds is 50, but array has 2 rows."),
    (
        'sim("exp3", losses=[[0,1],[1]], rounds=None)',
        "losses is [[0, 1], [1]], but must be a file or a table of numbers with rows of one length.",
    ),
    (
        'sim("exp3", losses=[], rounds=None)',
        "losses has shape (0,), but must be a table of finite numbers, one row a round.",
    ),
    (
        'sim("exp3", losses=[["a","b"],["c","d"]], rounds=None)',
        "losses is [['a', 'b'], ['c', 'd']], but must be a file or a table of numbers with",
    ),
    (
        'sim("exp3", losses=np.ones(5), rounds=None)',
        "losses has shape (5,), but must be a table of finite numbers, one row a round.",
    ),
    (
        'sim("exp3", losses=np.ones((5,3,2)), rounds=None)',
        "losses has shape (5, 3, 2), but must be a table of finite numbers, one row a round.",
    ),
    (
        'sim("exp3", losses=np.full((5,3),np.nan), rounds=None)',
        "losses has shape (5, 3), but must be a table of finite numbers, one row a round.",
    ),
    (
        'sim("exp3", losses=np.full((5,3),2.0), rounds=None)',
        "array, row 1, column 1: the loss is 2, but the declared range is 0 to 1; declare a",
    ),
    ('sim("exp3", losses=np.ones((5,3)), rounds=6)', "rounds is 6, but array has 5 rows."),
    ('sim("exp3", losses=np.ones((5,3)), rounds=None, arms=4)', "arms is 4, but array has 3."),
    (
        'sim("exp3", losses=3, rounds=None)',
        "losses is 3, but must be a file or a table of numbers with rows of one length.",
    ),
    (
        'sim("exp3", losses="nofile.csv", rounds=None)',
        "nofile.csv is not a file: losses come from a CSV or NPY file with one row a round.",
    ),
    (
        'sim("exp3", losses=b"nofile.csv", rounds=None)',
        "losses is b'nofile.csv', but must be a file or a table of numbers with rows of one length.",
    ),
    (
        'sim("exp3", losses=np.ones((5,1)), rounds=None)',
        "losses has shape (5, 1), but at least 2 rounds and 2 columns are needed.",
    ),
    (
        'sim("exp3", losses=np.ones((1,5)), rounds=None)',
        "losses has shape (1, 5), but at least 2 rounds and 2 columns are needed.",
    ),
    (
        'sim("exp3", losses=np.ones((5,2)), rounds=None, environment="stochastic")',
        "losses is given, but environment 'stochastic' makes its own: use 'table'.",
    ),
    (
        'sim("exp3", losses=np.ones((5,2)), rounds=None, environment=environment("stochastic",arms=2))',
        "losses are given, but so is an environment: give one of the two.",
    ),
    ('sim("exp3", clip="yes")', "clip is 'yes', but must be True or False."),
    ('sim("exp3", progress=3)', "progress is 3, but must be a function of trials finished and asked for."),
    ('sim("exp3", problem=3)', "problem is 3, but must be a problem such as Arms(4)."),
    ('sim("exp3", problem="arms")', "problem is 'arms', but must be a problem such as Arms(4)."),
    ('sim("exp3", problem=Arms(1))', "arms is 1, but must be a whole number of at least 2."),
    ('sim("exp3", problem=Points("ball",2))', "exp3 plays arms, but the environment is for points of the ball."),
    ('sim("exp3", dimension=3)', "dimension is given, but exp3 plays arms, which has no dimension: it has arms."),
    ('sim("exp3", bananas=3)', "bananas is given, but exp3 plays arms, which has no bananas: it has arms."),
    ('sim(["exp3","ftrl-ball"])', "exp3 plays arms and ftrl-ball plays points of the ball, but in one simulation all"),
    ('sim("ftrl-ball", geometry="cube")', "geometry is 'cube', but ftrl-ball is for ball only."),
    (
        'sim("private-ftrl-ball", geometry="ball", dimension=0)',
        "dimension is 0, but must be a whole number of at least 2.",
    ),
    (
        'sim("exp3", environment="linear-stochastic")',
        "environment 'linear-stochastic' is for distributions over experts, but arms are",
    ),
    (
        'sim(C(label="x",private=P()), environment="linear-stochastic", geometry="ball")',
        "the learner plays one of several actions, but the game is played with points of shape (4,).",
    ),
    (
        'sim([C(label="x",private=P()),C(label="x",private=P())])',
        "two contenders are labelled 'x', but labels must differ.",
    ),
    ("sim(C(label=None,private=P()))", "label is None, but must be a text that names the contender."),
    ('sim(C(label="x",private=None))', "private is None, but must be a Private(channel, learner) or OnDevice."),
    (
        'sim(C(label="x",private=Exp3.start(arms=4,learning_rate=.1)))',
        "private is Exp3(learning_rate=0.1, mixing=0.0, weights=FewWeights(lo..., but must be",
    ),
    ("sim(C(label=3,private=P()))", "label is 3, but must be a text that names the contender."),
    ('sim("exp3", options={"means": (0.1, 0.2)})', "means has 2 numbers, but there are 4 arms."),
    ('sim("exp3", options={"means": (0.1, 0.2, 0.3, 4)})', "means is 4, but must be between 0 and 1."),
    ('sim("exp3", options={"gap": 2})', "gap is 2, but must be between 0 and 0.5."),
    ('sim("exp3", options={"gap": "x"})', "gap is 'x', but must be between 0 and 0.5."),
    ('sim("exp3", options={"means": 3})', "means is 3, but must be one number for each arm."),
    ('sim("exp3", options={"means": "abcd"})', "means is 'abcd', but must be one number for each arm."),
    ('sim("exp4", experts=0)', "experts is 0, but must be a whole number of at least 2."),
    (
        'sim("exp4", advice=np.ones((5,2,2)))',
        "advice is given, but environment 'advice-random' makes its own: use 'table'.",
    ),
    (
        'sim("exp4", losses=np.ones((5,2)), rounds=None)',
        "environment 'table' needs a file of advice, and none was given.",
    ),
    (
        'sim("exp4", losses=np.ones((5,2)), advice=3, rounds=None)',
        "advice is 3, but must be a file or a table of numbers with rows of one length.",
    ),
    (
        'sim("exp4", losses=np.ones((5,2)), advice=np.ones((5,2,2)), rounds=None)',
        "round 1, expert 1: the advice adds up to 2, but must be a distribution over arms.",
    ),
    ("Batch.laplace(size=0,epsilon=.5,bounds=R)", "batch_size is 0, but must be a whole number of at least 1."),
    ("Batch.laplace(size=1.5,epsilon=.5,bounds=R)", "batch_size is 1.5, but must be a whole number of at least 1."),
    ("Batch.laplace(size=10,epsilon=0,bounds=R)", "epsilon is 0, but must be a finite number above 0."),
    ("Batch.laplace(size=10,epsilon=None,bounds=R)", "epsilon is None, but must be a finite number above 0."),
    ("Batch.laplace(size=10,epsilon=.5,bounds=None)", "bounds is None, but must be a range such as Range(0.0, 1.0)."),
    (
        "Batch.laplace(size=10,epsilon=.5,bounds=R._replace(low=2.0))",
        "low is 2.0 and high is 1.0, but low must be below high.",
    ),
    ("Open(3)", "bounds is 3, but Open needs a Range there."),
    ("Open(None)", "bounds is None, but Open needs a Range there."),
    ("Exp3.start(arms=1, learning_rate=.1)", "arms is 1, but must be a whole number of at least 2."),
    ("Exp3.start(arms=4, learning_rate=0)", "learning_rate is 0, but must be a finite number above 0."),
    ("Exp3.start(arms=4, learning_rate=None)", "learning_rate is None, but must be a finite number above 0."),
    ('Exp3.start(arms="4", learning_rate=.1)', "arms is '4', but must be a whole number of at least 2."),
    ("Exp3.start(arms=4, learning_rate=.1, mixing=2)", "mixing is 2, but must be between 0 and 1."),
    ("Uniform(0)", "arms is 0, but must be a whole number of at least 2."),
    ('Uniform("x")', "arms is 'x', but must be a whole number of at least 2."),
    ("Uniform(None)", "arms is None, but must be a whole number of at least 2."),
    ("Hedge.start(dimension=0)", "dimension is 0, but must be a whole number of at least 2."),
    ("Arms(0)", "arms is 0, but must be a whole number of at least 2."),
    ('Arms("x")', "arms is 'x', but must be a whole number of at least 2."),
    ("Arms(None)", "arms is None, but must be a whole number of at least 2."),
    ('Points("bal", 3)', "unknown geometry 'bal': did you mean 'ball'?"),
    ('Points("ball", 0)', "dimension is 0, but must be a whole number of at least 2."),
    ("Points(3, 3)", "unknown geometry 3"),
    ("Advice(4, 0)", "experts is 0, but must be a whole number of at least 2."),
    ("Advice(0, 4)", "arms is 0, but must be a whole number of at least 2."),
    ('algorithm("x")', "unknown algorithm 'x'"),
    ("algorithm(None)", "unknown algorithm None"),
    ('algorithm("exp3").build(3)', "setting is 3, but must be a Setting: use exp3's setting(...)."),
    (
        'algorithm("exp3").build(Setting(Points("ball",3)))',
        "exp3 plays arms, but the problem is Points(geometry='ball', dimension=3).",
    ),
    (
        'algorithm("exp3").setting(arms=4, bananas=3)',
        "bananas is given, but exp3 plays arms, which has no bananas: it has arms.",
    ),
    ('algorithm("exp3").build(nothing=1)', "unknown option of exp3 'nothing': did you mean 'high'?"),
    ('algorithm("batched-exp3").build(batch_size=0)', "batch_size is 0, but must be a whole number of at least 1."),
    ('algorithm("batched-exp3").build(batch_size="x")', "batch_size is 'x', but must be a whole number of at least 1."),
    ('algorithm("batched-exp3").build(calibration="best")', "calibration is 'best', but must be one of tight, paper."),
    ("Setting(4)", "problem is 4, but must be a problem such as Arms(4)."),
    ("Setting(Arms(4), rounds=1)", "rounds is 1, but must be a whole number of at least 2."),
    ("Setting(Arms(4), epsilon=0)", "epsilon is 0, but must be a finite number above 0."),
    ("Setting(Arms(4), bounds=3)", "bounds is 3, but must be a range such as Range(0.0, 1.0)."),
    ("Setting(Arms(4), delta=None)", "delta is None, but must be between 0 and 1."),
    ('environment("x")', "unknown environment 'x'"),
    ("environment(None)", "unknown environment None"),
    ('environment("stochastic", arms=1)', "arms is 1, but must be a whole number of at least 2."),
    ('environment("stochastic", gap=3)', "gap is 3, but must be between 0 and 0.5."),
    (
        'environment("stochastic", bananas=3)',
        "unknown option of environment 'stochastic' 'bananas': did you mean 'means'?",
    ),
    ('environment("stochastic", rounds=1)', "rounds is 1, but must be a whole number of at least 2."),
    ('environment("stochastic", bounds=3)', "bounds is 3, but must be a range such as Range(0.0, 1.0)."),
    ('environment("table")', "environment 'table' needs a file of losses or one of rewards, and neither was given."),
    (
        'environment("table", losses=None)',
        "environment 'table' needs a file of losses or one of rewards, and neither was given.",
    ),
    (
        'Guarantee(epsilon=-1,delta=0.0,model="central",status="proved",source="x")',
        "epsilon is -1, but must be between 0 and inf.",
    ),
    (
        'Guarantee(epsilon=None,delta=0.0,model="central",status="proved",source="x")',
        "epsilon is None, but must be between 0 and inf.",
    ),
    (
        'Guarantee(epsilon="1",delta=0.0,model="central",status="proved",source="x")',
        "epsilon is '1', but must be between 0 and inf.",
    ),
    (
        'Guarantee(epsilon=1,delta=2,model="central",status="proved",source="x")',
        "delta is 2, but must be between 0 and 1.",
    ),
    (
        'Guarantee(epsilon=1,delta=None,model="central",status="proved",source="x")',
        "delta is None, but must be between 0 and 1.",
    ),
    (
        'Guarantee(epsilon=1,delta=0,model="centrl",status="proved",source="x")',
        "model is 'centrl', but must be one of central, local, joint, none.",
    ),
    (
        'Guarantee(epsilon=1,delta=0,model="central",status="prov",source="x")',
        "status is 'prov', but must be one of proved, claimed by the paper only, none.",
    ),
    ('Guarantee(epsilon=1,delta=0,model="central",status="proved",source=3)', "source is 3, but must be text."),
    (
        'Guarantee(epsilon=1,delta=0,model="central",status="proved",source="x",rounds=0)',
        "rounds is 0, but must be a whole number of at least 1.",
    ),
    ("G.for_user(rounds=0)", "rounds is 0, but must be a whole number of at least 1."),
    ("G.for_user(rounds=1.5)", "rounds is 1.5, but must be a whole number of at least 1."),
    ("G.for_user(rounds=None)", "rounds is None, but must be a whole number of at least 1."),
    ("G.repeated(0)", "times is 0, but must be a whole number of at least 1."),
    ('G.repeated(3, delta="x")', "delta is 'x', but must be between 0 and 1."),
    ("G.repeated(3, delta=2)", "delta is 2, but must be between 0 and 1."),
    ("G.at(delta=-1)", "delta is -1, but must be between 0 and 1."),
    ('G.at(delta="x")', "delta is 'x', but must be between 0 and 1."),
    ("G.at(delta=None)", "delta is None, but must be between 0 and 1."),
    ("G <= 3", "the other is 3, but must be a Guarantee."),
    ("G >= None", "the other is None, but must be a Guarantee."),
    ("compose()", "compose needs at least one guarantee."),
    ("compose(3)", "a guarantee is 3, but must be a Guarantee."),
    ("compose(None)", "a guarantee is None, but must be a Guarantee."),
    ("compose(G, times=0)", "times is 0, but must be a whole number of at least 1."),
    ("compose(G, delta=3)", "delta is 3, but must be between 0 and 1."),
    ("compose(GD, delta=0.0)", "delta is 0.0, but these releases need a larger one."),
    ("compose(G, G.for_user(rounds=2))", "compose needs guarantees for the same number of rounds: use for_user first."),
    ("Guarantee.from_dict({})", "this is not a guarantee that as_dict() wrote."),
    ("Guarantee.from_dict(None)", "this is not a guarantee that as_dict() wrote."),
    ("Ledger(0)", "epsilon is 0, but must be a finite number above 0."),
    ("Ledger(None)", "epsilon is None, but must be a finite number above 0."),
    ('Ledger("1")', "epsilon is '1', but must be a finite number above 0."),
    ("Ledger(1, 2)", "delta is 2, but must be between 0 and 1."),
    ('Ledger(1, composition="x")', "unknown composition 'x'"),
    ('Ledger(1, composition="zcdp")', "delta is 0.0, but composition 'zcdp' needs one above 0 and below 1."),
    ("Ledger(1, max_rounds_per_user=0)", "max_rounds_per_user is 0, but must be a whole number of at least 1."),
    ('Ledger(1, max_rounds_per_user="x")', "max_rounds_per_user is 'x', but must be a whole number of at least 1."),
    ('Ledger(1, key=b"x")', "key is given, but max_rounds_per_user is None, and without it no user is stored."),
    ('Ledger(1, max_rounds_per_user=1, key=b"x")', "key is 1 bytes, but must be at least 16 secret bytes: make one with"),
    ('Ledger(1, max_rounds_per_user=1, key="x"*40)', "key is a str, but must be at least 16 secret bytes: make one with"),
    ("Ledger(1, path=3)", "path is 3, where no file can be made (open: path should be string, bytes or"),
    (
        'Ledger(1, path="/nonexistent/x")',
        "path is '/nonexistent/x', where no file can be made ([Errno 2] No such file or",
    ),
    ("Ledger(1).charge(3)", "guarantee is 3, but must be a Guarantee."),
    ("Ledger(1).charge(None)", "guarantee is None, but must be a Guarantee."),
    ("Ledger(1).charge(G, label=3)", "label is 3, but must be printable text."),
    (
        "Ledger(1).charge(G.for_user(rounds=4))",
        "a charge of 4-differential privacy would make epsilon 4.0 and delta 0.0 in all, but",
    ),
    ('Ledger(1).admit("x")', "max_rounds_per_user is None, but must be set to count the rounds of users."),
    (
        "Ledger(1, max_rounds_per_user=1).admit(None)",
        "user is of type NoneType, but must be text, a whole number or bytes.",
    ),
    ("Ledger(1, max_rounds_per_user=1).admit(1.5)", "user is of type float, but must be text, a whole number or bytes."),
    ('Ledger(1, max_rounds_per_user=1).admit("")', "user is empty, but must be text that names one person."),
    ("Bandit(1, 100, 1.0)", "arms is 1, but must be a whole number of at least 2."),
    ('Bandit(["A"], 100, 1.0)', "arms has 1 label, but at least 2 are needed."),
    ('Bandit(["A","A"], 100, 1.0)', "arms has a label twice, but labels must differ."),
    ('Bandit("AB", 100, 1.0)', "arms is 'AB', but must be a list of labels or a whole number of at least 2."),
    ("Bandit(None, 100, 1.0)", "arms is None, but must be a list of labels or a whole number of at least 2."),
    ("Bandit(3, 1, 1.0)", "horizon is 1, but must be a whole number of at least 2."),
    ('Bandit(3, "100", 1.0)', "horizon is '100', but must be a whole number of at least 2."),
    ("Bandit(3, 100, 0)", "epsilon is 0, but must be a finite number above 0."),
    ("Bandit(3, 100, None)", "epsilon is None, but must be a finite number above 0."),
    ('Bandit(3, 100, "1")', "epsilon is '1', but must be a finite number above 0."),
    ("Bandit(3, 100, 1.0, delta=2)", "delta is 2, but must be between 0 and 1."),
    ("Bandit(3, 100, 1.0, low=1, high=0)", "low is 1 and high is 0, but low must be below high."),
    ("Bandit(3, 100, 1.0, low=None)", "low is None, but must be a finite number."),
    ("Bandit(3, 100, 1.0, clip=1)", "clip is 1, but must be True or False."),
    ('Bandit(3, 100, 1.0, algorithm="x")', "unknown algorithm 'x'"),
    ("Bandit(3, 100, 1.0, algorithm=None)", "unknown algorithm None"),
    (
        'Bandit(3, 100, 1.0, algorithm="hedge")',
        "algorithm is hedge, which plays distributions over experts: use Experts or VectorOptimizer.",
    ),
    ("Bandit(3, 100, 1.0, seed=1)", "seed is 1, but live noise cannot have one: only simulation=True takes a seed."),
    ("Bandit(3, 100, 1.0, simulation=True, seed=-1)", "seed is -1, but must be a whole number of at least 0."),
    ('Bandit(3, 100, 1.0, simulation="yes")', "simulation is 'yes', but must be True or False."),
    ("Bandit(3, 100, 1.0, ledger=3)", "ledger is 3, but must be a discreet.Ledger."),
    (
        "Bandit(3, 100, 1.0, simulation=True, ledger=Ledger(1))",
        "ledger is given, but simulation=True draws noise that protects nobody: leave it out.",
    ),
    ("Bandit(3, 100, 1.0, path=3)", "path is 3, where no file can be made (open: path should be string, bytes or"),
    (
        'Bandit(3, 100, 1.0, path="/nonexistent/x")',
        "path is '/nonexistent/x', where no file can be made ([Errno 2] No such file or",
    ),
    ("Bandit(3, 100, 1.0, bananas=1)", "unknown option of batched-exp3 'bananas'"),
    ('Bandit.open("/nonexistent/x")', "path is '/nonexistent/x', but there is no file."),
    ("Bandit.open(None)", "path is 'None', but there is no file."),
    ("(lambda b: b.tell(b.ask()))(Bandit(3, 100, 1.0))", "tell needs one outcome: either reward or loss."),
    (
        "(lambda b: b.tell(b.ask(), reward=1, loss=1))(Bandit(3, 100, 1.0))",
        "tell needs one outcome: either reward or loss.",
    ),
    (
        "(lambda b: b.tell(b.ask(), reward=3))(Bandit(3, 100, 1.0))",
        "the reward is outside the declared range 0 to 1; clip=True would clip it.",
    ),
    ('(lambda b: b.tell(b.ask(), reward="x"))(Bandit(3, 100, 1.0))', "the reward is not a finite number."),
    ('(lambda b: b.tell(b.ask(), reward=float("nan")))(Bandit(3, 100, 1.0))', "the reward is not a finite number."),
    ('Bandit(3, 100, 1.0).ask(user="x")', "user is given, but there is no ledger that limits the rounds of a user."),
    (
        "Bandit(3, 100, 1.0, ledger=Ledger(5, max_rounds_per_user=3)).ask()",
        "ask needs the user: the ledger allows each at most 3 rounds.",
    ),
    (
        'Bandit(3, 100, 1.0, ledger=Ledger(1, max_rounds_per_user=3)).ask(user="x")',
        "a charge of 3-differential privacy would make epsilon 3.0 and delta 0.0 in all, but",
    ),
    ("Experts(1, 100, 1.0)", "experts is 1, but must be a whole number of at least 2."),
    ("Experts(3, 100, None)", "epsilon is None, but must be a finite number above 0."),
    (
        "(lambda b: b.tell(b.ask(), losses=[1,2]))(Experts(3, 100, 1.0))",
        "the losses have the shape (2,), but must be a vector of length 3.",
    ),
    ('VectorOptimizer("ball", 0, 100, 1.0)', "dimension is 0, but must be a whole number of at least 2."),
    (
        'VectorOptimizer("bal", 2, 100, 1.0)',
        "geometry is 'bal', but must be 'ball' or 'cube' (Experts has distributions).",
    ),
    ('Optimizer("bal(2)", 100, 1.0)', "unknown set 'bal'"),
    ('Optimizer("ball(2)", 100, 1.0, geometry="ball")', "geometry is given, but is for VectorOptimizer"),
    ('Optimizer("ball(2)", 100, 1.0, lipschitz=0)', "lipschitz is 0, but must be a finite number above 0."),
    ("Advisor(3, 1, 100, 1.0)", "experts is 1, but must be a whole number of at least 2."),
    ('audit("x")', "unknown algorithm 'x'"),
    ("audit(None)", "the subject is None"),
    ('audit("batched-exp3", epsilon=0)', "unknown option of batched-exp3 'epsilon'"),
    ('audit("batched-exp3", trials=0)', "trials is 0"),
    ('cite("x")', "unknown algorithm 'x'"),
    ("cite(None)", "unknown algorithm None"),
    (
        'register_algorithm(name="exp3", title="x", problem=Arms())(lambda s: None)',
        "name is 'exp3', but an algorithm of that name is registered already: use another.",
    ),
    (
        'register_environment("stochastic", title="x", problem=Arms)(lambda: None)',
        "name is 'stochastic', but an environment of that name is registered already: use another.",
    ),
    ("Laplace(-1)", "scale is -1, but must be between 0 and 1e+300."),
    ("Gaussian(None, 1e-6)", "scale is None, but must be between 0 and 1e+300."),
    (
        'sim("exp3", rewards=np.full((5,3),2.0), rounds=None)',
        "array (a reward r is the loss 1 - r), row 1, column 1: the loss is -1, but the",
    ),
    (
        'sim("exp3", rewards=np.ones((5,2)), losses=np.ones((5,2)), rounds=None)',
        "environment 'table' needs a file of losses or one of rewards, and both were given.",
    ),
    (
        'sim("exp3", rewards=[[1,2],[3]], rounds=None)',
        "rewards is [[1, 2], [3]], but must be a file or a table of numbers with rows of one length.",
    ),
    (
        'sim("exp3", environment=np.ones((5,2)), rewards=np.ones((5,2)), rounds=None)',
        "rewards are given, but so is an environment: give one of the two.",
    ),
    (
        'sim("exp3", environment=[["a"]], rounds=None)',
        "environment is [['a']], but must be a name, an Environment or a table of losses.",
    ),
    (
        'sim("exp3", environment="stochastic", options={"spread": -1})',
        "spread is -1, but must be between 0 and 0.497494.",
    ),
    ('sim("exp3", options={"spread": 0.6})', "spread is 0.6, but must be between 0 and 0.497494."),
    ('sim("exp3", options={"spread": "x"})', "spread is 'x', but must be between 0 and 0.497494."),
    (
        'sim("exp3", options={"means": (.1,.2,.3,.4), "gap": 0.1})',
        "gap is 0.1, but means are given too: give one of the two.",
    ),
    ('sim("exp3", environment=np.ones((50,4)), options={"gap": 0.1})', "unknown option 'gap'"),
    ('Ledger(1, max_rounds_per_user=1).admit("  ")', "user is empty, but must be text that names one person."),
    (
        'Ledger(1, max_rounds_per_user=1).admit(b"\\xff")',
        "user is no text: bytes must be UTF-8 (or give their hex()), and numbers at most 4,300 digits.",
    ),
    ("Ledger(1).epsilon_a_round(runs=0)", "runs is 0, but must be a whole number of at least 1."),
    ('Ledger(1).epsilon_a_round(runs="x")', "runs is 'x', but must be a whole number of at least 1."),
    (
        'Bandit(3, 100, 1.0, ledger=Ledger(2.0, max_rounds_per_user=4)).ask(user="Ada")',
        "a charge of 4-differential privacy would make epsilon 4.0 and delta 0.0 in all, but",
    ),
    ('RESULTS.plot(colors="red")', "colors is 'red', but must be a list with one for each of 1 contenders."),
    ("RESULTS.plot(colors=[])", "colors is [], but must be a list with one for each of 1 contenders."),
    (
        "Private(channel=Exp3.start(arms=4, learning_rate=.1), learner=None)",
        "channel is of type Exp3, but Private needs a Channel there.",
    ),
    ("Wrapping(learner=None)", "learner is None, but Wrapping needs a Learner there."),
    ("Wrapping(learner=R)", "learner is of type Range, but Wrapping needs a Learner there."),
    ("PerRound(R, None)", "noise is None, but PerRound needs a Noise there."),
    ("PerRound(None, Laplace(1.0))", "bounds is None, but PerRound needs a Range there."),
    ("PerRound(R, R)", "noise is of type Range, but PerRound needs a Noise there."),
    ("Laplace(None)", "scale is None, but must be between 0 and 1e+300."),
    ("Laplace(-0.5)", "scale is -0.5, but must be between 0 and 1e+300."),
    ("Gaussian(1.0, 2.0)", "delta is 2.0, but must be between 0 and 1."),
    ('Gaussian("1", 1e-6)', "scale is '1', but must be between 0 and 1e+300."),
    (
        "Batch(size=3, bounds=None, held=np.zeros(3), noise=Laplace(1.0))",
        "bounds is None, but Batch needs a Range there.",
    ),
    ("Batch.over(size=3, bounds=R, noise=None)", "noise is None, but Batch needs a Noise there."),
    ("Box([0.0], [1.0, 2.0])", "low has length 1 and high has length 2, but they must agree."),
    ("Box([2.0], [1.0])", "low[0] is 2 and high[0] is 1, but low must not be above high."),
    ("Setting(Arms(4), bounds=Range(0, 0))", "low is 0 and high is 0, but low must be below high."),
    ("Setting(None)", "problem is None, but must be a problem such as Arms(4)."),
    (
        'simulate("exp3", rounds=10**20)',
        "rounds is 100000000000000000000, which is too large: at most 1,000,000,000,000,000 is possible.",
    ),
    ('simulate("exp3", rounds=10**5000)', "rounds is a number of thousands of digits, which is too large: at most"),
    ('simulate("exp3", arms=[4])', "arms is [4], but must be a whole number of at least 2."),
    ('algorithm("exp3").setting(rounds=None)', "rounds is None, but must be a whole number of at least 2."),
    ("G.implies(None)", "the other is None, but must be a Guarantee."),
    ("BestArm(1)", "arms is 1, but must be a whole number of at least 2."),
    ("BestArm(4, error=0)", "error is 0, but must be above 0 and below 1."),
    ("BestArm(4, error=1.0)", "error is 1.0, but must be above 0 and below 1."),
    ('BestArm(4, error="0.1")', "error is '0.1', but must be above 0 and below 1."),
    ("BestArm(4, error=float('nan'))", "error is nan, but must be above 0 and below 1."),
    ('search("lucb", arms=1)', "arms is 1, but must be a whole number of at least 2."),
    ('search("lucb", error=-0.1)', "error is -0.1, but must be above 0 and below 1."),
    ('search("lucb", rounds=1)', "rounds is 1, but must be a whole number of at least 2."),
    ('search("lucb", trials=0)', "trials is 0, but must be a whole number of at least 1."),
    ('search("lucb", confidence=0.9)', "confidence is given, but lucb plays best-arm search, which has no confidence:"),
    ('search("lucb", options={"typical_gap": 2.0})', "typical_gap is 2.0, but must be between 1e-06 and 1."),
    ('search("lucb", options={"gap": 0.7})', "gap is 0.7, but must be between 0 and 0.5."),
    ('search("lucb", options={"means": (0.1, 0.2)})', "means has 2 numbers, but there are 4 arms."),
    ('search("lucb", environment="oblivious")', "but best-arm search needs them: use the environment 'stochastic'."),
    ('search("lucb", losses=[[0.0, 1.0], [1.0, 0.0]])', "Table has no fixed means, but best-arm search needs them"),
    ('search("exp3")', "arms does not stop by itself: use simulate in place of search."),
    ('simulate("lucb")', "best-arm search stops by itself and has no regret: use search in place of simulate."),
    ('search("batched-lucb", options={"batch_size": 0})', "batch_size is 0, but must be a whole number of at least 1."),
    ('search("batched-lucb", options={"growth": 0.0})', "growth is 0.0, but must be between 0.01 and 100."),
    ('search("local-lucb", options={"noise": "laplace"})', "noise is 'laplace', but must be one of response, gaussian."),
    ('search("local-lucb", options={"noise": "gaussian"})', "noise is gaussian, but delta is 0: give a delta above 0"),
    ('search("track-and-stop", options={"errors": (0.5,)})', "and error is 0.1, but errors are for smaller ones."),
    ('search("lil-ucb", options={"constants": "best"})', "constants is 'best', but must be one of practice, theory."),
]

COMMANDS = [
    ("simulat exp3", "unknown command 'simulat': did you mean 'simulate'?"),
    ("list bananas", "Got unexpected extra argument (bananas)"),
    ("list --foo", "No such option '--foo'."),
    ("describe", "Missing argument 'NAME'."),
    ("describe exp33", "unknown algorithm 'exp33': did you mean 'exp3'?"),
    ("describe exp3 exp3", "Got unexpected extra argument (exp3)"),
    ("describe exp3 --arms x", "Invalid value for '--arms': 'x' is not a valid integer."),
    ("describe exp3 --arms 2.5", "Invalid value for '--arms': '2.5' is not a valid integer."),
    ("describe exp3 --arms=-1", "arms is -1, but must be a whole number of at least 2."),
    ("describe exp3 --dimension 3", "dimension is given, but exp3 plays arms, which has no dimension: it has arms."),
    ("describe exp3 --experts 3", "experts is given, but exp3 plays arms, which has no experts: it has arms."),
    ("describe ftrl-ball --geometry cube", "geometry is 'cube', but ftrl-ball is for ball only."),
    ("describe ftrl-ball --dimension 0", "dimension is 0, but must be a whole number of at least 2."),
    ("describe lucb --arms 1", "arms is 1, but must be a whole number of at least 2."),
    ("describe lucb --error 1.5", "error is 1.5, but must be above 0 and below 1."),
    ("describe exp3 --error 0.1", "error is given, but exp3 plays arms, which has no error: it has arms."),
    ("simulate lucb exp3", "lucb plays best-arm search and exp3 plays arms, but in one simulation all"),
    ("simulate lucb --environment table", "environment 'table' needs a file of losses or one of rewards"),
    ("describe batched-exp3 --epsilon inf", "epsilon is inf, but must be a finite number above 0."),
    ("describe batched-exp3 --epsilon 1e300", "epsilon is 1e+300, but must be between 1e-200 and 1e+200."),
    ("describe batched-exp3 --delta=-0.1", "delta is -0.1, but must be between 0 and 1."),
    ("describe batched-exp3 --delta nan", "delta is nan, but must be between 0 and 1."),
    ("describe batched-exp3 --rounds 0", "rounds is 0, but must be a whole number of at least 2."),
    ("describe batched-exp3 --set low=2 --set high=1", "low is 2.0 and high is 1.0, but low must be below high."),
    ("describe batched-exp3 --set high=inf", "high is inf, but must be a finite number."),
    ("describe batched-exp3 --set high=nan", "high is nan, but must be a finite number."),
    ("describe batched-exp3 --set =3", "--set is '=3', but must look like key=value."),
    ("describe batched-exp3 --set batch_size=", "--set is 'batch_size=', but must look like key=value."),
    ("describe batched-exp3 --set epsilon=3", "unknown option of batched-exp3 'epsilon'"),
    ("describe batched-exp3 --set batch_size=1e9", "batch_size is '1e9', but must be a whole number."),
    (
        "describe private-ftpl --set sums=none",
        "sums is 'none', but must be one of tree, honaker, sqrt-toeplitz, blt, unbounded, ",
    ),
    (
        "describe batched-exp3 --json --plain",
        "--plain and --json are both given, but --plain is a text: give one of them.",
    ),
    ("simulate exp3 exp3 --rounds 50 --trials 1 --quiet", "algorithm 'exp3' is given 2 times, but each plays once."),
    (
        "simulate batched-exp3 --epsilon 1 --epsilon 1 --rounds 50 --trials 1 --quiet",
        "epsilon 1 is given 2 times, but each is played once.",
    ),
    ("simulate exp3 ftrl-ball", "exp3 plays arms and ftrl-ball plays points of the ball, but in one simulation all"),
    (
        "simulate exp3 --arms 4 --losses none.csv",
        "none.csv is not a file: losses come from a CSV or NPY file with one row a round.",
    ),
    (
        "simulate exp3 --environment linear-stochastic",
        "environment 'linear-stochastic' is for distributions over experts, but arms are",
    ),
    (
        "simulate exp3 --environment table",
        "environment 'table' needs a file of losses or one of rewards, and neither was given.",
    ),
    ("simulate exp3 --losses .", ". is not a file: losses come from a CSV or NPY file with one row a round."),
    ("simulate exp3 --losses file.txt", "has 0 rows of losses, but at least 2 rounds are needed."),
    (
        "simulate exp3 --rewards none.csv",
        "none.csv is not a file: losses come from a CSV or NPY file with one row a round.",
    ),
    (
        "simulate exp3 --rewards a.csv --losses b.csv",
        "environment 'table' needs a file of losses or one of rewards, and both were given.",
    ),
    ("simulate exp3 --advice none.npy", "advice is given, but environment 'stochastic' makes its own: use 'table'."),
    ("simulate exp3 --seed x", "Invalid value for '--seed': 'x' is not a valid integer."),
    ("simulate exp3 --seed=-1", "seed is -1, but must be a whole number of at least 0."),
    ("simulate exp3 --trials 1e3", "Invalid value for '--trials': '1e3' is not a valid integer."),
    ("simulate exp3 --workers=-1", "workers is -1, but must be a whole number of at least 1."),
    ("simulate exp3 --clip yes", "unknown algorithm 'yes'"),
    ("simulate exp3 --set gap=2", "gap is 2.0, but must be between 0 and 0.5."),
    ("simulate exp3 --set means=1,2", "means has 2 numbers, but there are 4 arms."),
    ("simulate exp3 --set means=a,b", "means is 'a,b', but must be numbers separated by commas."),
    (
        "simulate exp3 --set means=0.1,0.2,0.3,0.4 --set gap=0.1",
        "gap is 0.1, but means are given too: give one of the two.",
    ),
    ("simulate exp3 --set spread=9", "spread is 9.0, but must be between 0 and 0.497494."),
    ("simulate exp3 --set gap=0.1 --set gap=0.1", "--set gives gap twice."),
    (
        "simulate exp3 --environment stochastic --experts 3",
        "experts is given, but exp3 plays arms, which has no experts: it has arms.",
    ),
    ("simulate exp4 --experts 1", "experts is 1, but must be a whole number of at least 2."),
    ("simulate exp4 --losses file.txt", "environment 'table' needs a file of advice, and none was given."),
    ("simulate private-ftrl-ball --geometry bal", "geometry is 'bal', but private-ftrl-ball is for ball only."),
    ("simulate exp3 --output file.txt", "file.txt exists already: choose another output folder, as it is not a folder."),
    ("simulate exp3 --output .", ". exists already: choose another output folder, or overwrite it with --overwrite."),
    ("simulate exp3 --output /proc/x", "output folder /proc/x cannot be created: No such file or directory."),
    ("simulate exp3 --output", "Option '--output' requires an argument."),
    ("simulate exp3 --delta 2", "delta is 2.0, but must be between 0 and 1."),
    ("simulate --json", "Missing argument 'NAME...'."),
    ("reproduce", "Missing argument 'NAME'."),
    ("reproduce nothing --output x", "unknown reproduction 'nothing'"),
    (
        "reproduce tossou-figure-1 --output file.txt",
        "file.txt exists already: choose another output folder, as it is not a folder.",
    ),
    ("reproduce tossou-figure-1 --output x --rounds 5", "rounds is 5, but must be a whole number of at least 100."),
    ("reproduce tossou-figure-1 --output x --rounds a", "Invalid value for '--rounds': 'a' is not a valid integer."),
    ("reproduce tossou-figure-1 --output x --trials=-1", "trials is -1, but must be a whole number of at least 1."),
    ("reproduce tossou-figure-1 --output x --seed=-5", "seed is -5, but must be a whole number of at least 0."),
    (
        "reproduce tossou-figure-1 --output .",
        ". exists already: choose another output folder, or overwrite it with --overwrite.",
    ),
    ("audit", "audit needs the name of an algorithm, or --all, and not both."),
    ("audit nothing", "unknown algorithm 'nothing': did you mean 'htinf'?"),
    ("audit exp3 --all", "audit needs the name of an algorithm, or --all, and not both."),
    ("audit batched-exp3 --trials 1", "trials is 1"),
    ("audit batched-exp3 --trials x", "Invalid value for '--trials': 'x' is not a valid integer."),
    ("audit batched-exp3 --epsilon 0", "epsilon is 0.0"),
    ("audit batched-exp3 --set foo=1", "unknown option of batched-exp3 'foo'"),
    ("counters --output x.foo", "output is x.foo, but the name of a picture must end in one of .png, .pdf, .svg."),
    ("counters --output /nonexistent/x.png", "output is /nonexistent/x.png, but there is no folder /nonexistent."),
    ("counters --output .", "Invalid value for '--output': File '.' is a directory."),
    ("counters --horizon 1", "horizon is 1, but must be a whole number of at least 2."),
    ("counters --horizon x", "Invalid value for '--horizon': 'x' is not a valid integer."),
    ("counters --horizon 999999999999", "horizon is 999999999999, which is too large: at most 16,777,216 is possible."),
    ("counters --copies=-1", "copies is -1, but must be a whole number of at least 0."),
    ("counters --seed x", "Invalid value for '--seed': 'x' is not a valid integer."),
    ("counters --seed=-1 --copies 1 --horizon 2", "seed is -1, but must be a whole number of at least 0."),
    ("counters --horizon 4 --horizon 4", "horizon 4 is given 2 times, but each is computed once."),
    ("errata --output /nonexistent/x.md", "output is /nonexistent/x.md, but there is no folder /nonexistent."),
    ("errata --output .", "Invalid value for '--output': File '.' is a directory."),
    ("errata nothing", "Got unexpected extra argument (nothing)"),
    ("cite nothing", "unknown algorithm 'nothing': did you mean 'htinf'?"),
    ("cite --all exp3", "--all was given beside exp3, but it cites every algorithm: give one of them."),
    ("completion", "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish"),
    ("completion tcsh", "Invalid value for '{bash|zsh|fish}': 'tcsh' is not one of 'bash', 'zsh', 'fish'."),
    ("glossary nothing", "unknown word 'nothing': did you mean 'twin'?"),
]


CALLS += bad_sets.CALLS
COMMANDS += bad_sets.COMMANDS


@pytest.fixture(scope="module")
def results():
    return discreet.simulate("uniform", rounds=20, trials=1)


def test_there_are_many():
    assert len(set(CALLS)) + len(set(COMMANDS)) >= 300


@pytest.mark.filterwarnings("ignore:.* is not private")
@pytest.mark.parametrize(("call", "sentence"), CALLS)
def test_a_call_is_refused_in_one_sentence(call, sentence, results, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(discreet.DiscreetError) as refusal:
        eval(call, NAMES | {"RESULTS": results})
    said = str(refusal.value)
    assert sentence in said
    assert said.endswith(".")
    assert "\n" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("command", "sentence"), COMMANDS)
def test_a_command_is_refused_in_one_sentence(command, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").write_text("not a table")
    with pytest.raises(SystemExit) as end:
        main(shlex.split(command))
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert printed.out == ""
    assert printed.err.startswith("discreet: ")
    assert sentence in printed.err
    assert printed.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_without_pandas_one_sentence_says_how_to_get_it(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(discreet.DiscreetError, match=r"to_pandas needs pandas: pip install 'discreet\[pandas\]'"):
        results.to_pandas()
