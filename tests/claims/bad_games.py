"""Bad input about games: simulations, searches and environments; see test_bad_input."""

from __future__ import annotations

CALLS = [
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
    ('sim(["exp3","exp3"])', "algorithm 'exp3' is listed twice; list each once."),
    ('sim("exp3", arms="4")', "arms is '4', but must be a whole number of at least 2."),
    ('sim("exp3", arms=4.0)', "arms is 4.0, but must be a whole number of at least 2."),
    ('sim("exp3", arms=True)', "arms is True, but must be a whole number of at least 2."),
    ('sim("exp3", arms=1)', "arms is 1, but must be a whole number of at least 2."),
    ('sim("exp3", arms=-1)', "arms is -1, but must be a whole number of at least 2."),
    ('sim("exp3", rounds="50")', "rounds is '50', but must be a whole number of at least 2."),
    ('sim("exp3", rounds=1)', "rounds is 1, but must be a whole number of at least 2."),
    ('sim("exp3", rounds=50.0)', "rounds is 50.0, but must be a whole number of at least 2."),
    (
        'sim("exp3", rounds=float("nan"))',
        "rounds is nan, but must be a whole number of at least 2.",
    ),
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
    (
        'sim("batched-exp3", epsilon=[1.0, None])',
        "epsilon is None, but must be a finite number above 0.",
    ),
    ('sim("batched-exp3", epsilon=0)', "epsilon is 0, but must be a finite number above 0."),
    ('sim("batched-exp3", epsilon=-1)', "epsilon is -1, but must be a finite number above 0."),
    (
        'sim("batched-exp3", epsilon=float("inf"))',
        "epsilon is inf, but must be a finite number above 0.",
    ),
    (
        'sim("batched-exp3", epsilon=[[1.0, 2.0]])',
        "epsilon is [1.0, 2.0], but must be a finite number above 0.",
    ),
    (
        'sim("batched-exp3", epsilon=[1.0, 1.0])',
        "epsilon 1 is listed twice; list each once.",
    ),
    ('sim("batched-exp3", delta=None)', "delta is None, but must be a number between 0 and 1."),
    ('sim("batched-exp3", delta=-1)', "delta is -1, but must be between 0 and 1."),
    ('sim("batched-exp3", delta="x")', "delta is 'x', but must be a number between 0 and 1."),
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
    (
        'sim("exp3", options={"learning_rat": 1})',
        "unknown option 'learning_rat': did you mean 'learning_rate'?",
    ),
    (
        'sim("exp3", options={"learning_rate": "x"})',
        "learning_rate is 'x', but must be a number.",
    ),
    ('sim("exp3", options={3: 1})', "unknown option 3"),
    (
        'sim("exp3", environment=3)',
        "environment is 3, but must be a name, an Environment or a table of losses.",
    ),
    (
        'sim("exp3", environment="stochastik")',
        "unknown environment 'stochastik': did you mean 'stochastic'?",
    ),
    (
        'sim("exp3", environment=Arms(4))',
        "environment is Arms(arms=4), but must be a name, an Environment or a table of losses.",
    ),
    ('sim("exp3", environment=[[0,1],[1,0]])', "rounds is 50, but array has 2 rows."),
    (
        'sim("exp3", losses=[[0,1],[1]], rounds=None)',
        "losses is [[0, 1], [1]], but must be a file or a table of numbers with rows of one "
        "length.",
    ),
    (
        'sim("exp3", losses=[], rounds=None)',
        "losses has shape (0,), but must be a table of finite numbers, one row per round.",
    ),
    (
        'sim("exp3", losses=[["a","b"],["c","d"]], rounds=None)',
        "losses is [['a', 'b'], ['c', 'd']], but must be a file or a table of numbers with",
    ),
    (
        'sim("exp3", losses=np.ones(5), rounds=None)',
        "losses has shape (5,), but must be a table of finite numbers, one row per round.",
    ),
    (
        'sim("exp3", losses=np.ones((5,3,2)), rounds=None)',
        "losses has shape (5, 3, 2), but must be a table of finite numbers, one row per round.",
    ),
    (
        'sim("exp3", losses=np.full((5,3),np.nan), rounds=None)',
        "losses has shape (5, 3), but must be a table of finite numbers, one row per round.",
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
        "nofile.csv is not a file: give a CSV or NPY file with one row per round.",
    ),
    (
        'sim("exp3", losses=b"nofile.csv", rounds=None)',
        "losses is b'nofile.csv', but must be a file or a table of numbers with rows of one "
        "length.",
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
        'sim("exp3", losses=np.ones((5,2)), rounds=None, '
        'environment=environment("stochastic",arms=2))',
        "losses are given, but so is an environment: give one of the two.",
    ),
    ('sim("exp3", clip="yes")', "clip is 'yes', but must be True or False."),
    (
        'sim("exp3", progress=3)',
        "progress is 3, but must be True, or a function of finished and total trials.",
    ),
    ('sim("exp3", problem=3)', "problem is 3, but must be a problem such as Arms(4)."),
    ('sim("exp3", problem="arms")', "problem is 'arms', but must be a problem such as Arms(4)."),
    ('sim("exp3", problem=Arms(1))', "arms is 1, but must be a whole number of at least 2."),
    (
        'sim("exp3", problem=Points("ball",2))',
        "exp3 plays arms, but the environment is for points of the ball.",
    ),
    (
        'sim("exp3", dimension=3)',
        "dimension is not a parameter of the game of exp3, which has arms.",
    ),
    (
        'sim("exp3", bananas=3)',
        "bananas is not a parameter of the game of exp3, which has arms.",
    ),
    (
        'sim(["exp3","ftrl-ball"])',
        "exp3 plays arms and ftrl-ball plays points of the ball, but in one simulation all",
    ),
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
        "the learner plays one of several actions, but the game is played with points of shape "
        "(4,).",
    ),
    (
        'sim([C(label="x",private=P()),C(label="x",private=P())])',
        "two contenders are labelled 'x', but labels must differ.",
    ),
    (
        "sim(C(label=None,private=P()))",
        "label is None, but must be a text that names the contender.",
    ),
    (
        'sim(C(label="x",private=None))',
        "private is None, but must be a Private(channel, learner) or OnDevice.",
    ),
    (
        'sim(C(label="x",private=Exp3.start(arms=4,learning_rate=.1)))',
        "private is Exp3(learning_rate=0.1, mixing=0.0, weights=FewWeights(lo..., but must be",
    ),
    ("sim(C(label=3,private=P()))", "label is 3, but must be a text that names the contender."),
    ('sim("exp3", options={"means": (0.1, 0.2)})', "means has 2 numbers, but there are 4 arms."),
    (
        'sim("exp3", options={"means": (0.1, 0.2, 0.3, 4)})',
        "means is 4, but must be between 0 and 1.",
    ),
    ('sim("exp3", options={"gap": 2})', "gap is 2, but must be between 0 and 0.5."),
    ('sim("exp3", options={"gap": "x"})', "gap is 'x', but must be a number between 0 and 0.5."),
    ('sim("exp3", options={"means": 3})', "means is 3, but must be one number for each arm."),
    (
        'sim("exp3", options={"means": "abcd"})',
        "means is 'abcd', but must be one number for each arm.",
    ),
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
        "rewards is [[1, 2], [3]], but must be a file or a table of numbers with rows of one "
        "length.",
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
    (
        'sim("exp3", options={"spread": "x"})',
        "spread is 'x', but must be a number between 0 and 0.497494.",
    ),
    (
        'sim("exp3", options={"means": (.1,.2,.3,.4), "gap": 0.1})',
        "gap is 0.1, but means are given too: give one of the two.",
    ),
    (
        'sim("tracking-ucb", environment="stochastic", gap=0.1)',
        "gap is an option of environment 'stochastic', not a parameter of the game: give it in "
        "options={'gap': ...}.",
    ),
    (
        'sim("exp3", learning_rate=0.1)',
        "learning_rate is an option of exp3, not a parameter of the game: give it in ",
    ),
    (
        'RESULTS.plot("x.pdf")',
        "ax is 'x.pdf', but must be axes of matplotlib: use path= for a file.",
    ),
    (
        'sim(["exp3", "ucb"]).differences().plot("x.pdf")',
        "ax is 'x.pdf', but must be axes of matplotlib: use path= for a file.",
    ),
    (
        'RESULTS.plot(path="/nonexistent/x.pdf")',
        "the plot cannot be written to '/nonexistent/x.pdf': no such file or directory.",
    ),
    (
        'sim(["exp3", "ucb"]).differences().to_csv("/nonexistent/x.csv")',
        "/nonexistent/x.csv cannot be written: no such file or directory.",
    ),
    ("RESULTS.save(3)", "folder is 3, but must be "),
    ('sim("exp3", environment=np.ones((50,4)), options={"gap": 0.1})', "unknown option 'gap'"),
    (
        'simulate("exp3", rounds=10**20)',
        "rounds is 100000000000000000000, which is too large: at most 1,000,000,000,000,000 is "
        "possible.",
    ),
    (
        'simulate("exp3", rounds=10**5000)',
        "rounds is a number of thousands of digits, which is too large: at most",
    ),
    ('simulate("exp3", arms=[4])', "arms is [4], but must be a whole number of at least 2."),
    ("BestArm(1)", "arms is 1, but must be a whole number of at least 2."),
    ("BestArm(4, error=0)", "error is 0, but must be above 0 and below 1."),
    ("BestArm(4, error=1.0)", "error is 1.0, but must be above 0 and below 1."),
    ('BestArm(4, error="0.1")', "error is '0.1', but must be a number above 0 and below 1."),
    ("BestArm(4, error=float('nan'))", "error is nan, but must be above 0 and below 1."),
    ('search("lucb", arms=1)', "arms is 1, but must be a whole number of at least 2."),
    ('search("lucb", error=-0.1)', "error is -0.1, but must be above 0 and below 1."),
    ('search("lucb", rounds=1)', "rounds is 1, but must be a whole number of at least 2."),
    ('search("lucb", trials=0)', "trials is 0, but must be a whole number of at least 1."),
    (
        'search("lucb", confidence=0.9)',
        "confidence is not a parameter of the game of lucb, which has arms and error.",
    ),
    (
        'search("lucb", options={"typical_gap": 2.0})',
        "typical_gap is 2.0, but must be between 1e-06 and 1.",
    ),
    ('search("lucb", options={"gap": 0.7})', "gap is 0.7, but must be between 0 and 0.5."),
    ('search("lucb", options={"means": (0.1, 0.2)})', "means has 2 numbers, but there are 4 arms."),
    (
        'search("lucb", environment="oblivious")',
        "but best-arm search needs them: use the environment 'stochastic'.",
    ),
    (
        'search("lucb", losses=[[0.0, 1.0], [1.0, 0.0]])',
        "Table has no fixed means, but best-arm search needs them",
    ),
    ('search("exp3")', "arms does not stop by itself: use simulate, not search."),
    (
        'simulate("lucb")',
        "best-arm search stops by itself and has no regret: use search, not simulate.",
    ),
    (
        'search("batched-lucb", options={"batch_size": 0})',
        "batch_size is 0, but must be a whole number of at least 1.",
    ),
    (
        'search("batched-lucb", options={"growth": 0.0})',
        "growth is 0.0, but must be between 0.01 and 100.",
    ),
    (
        'search("local-lucb", options={"noise": "laplace"})',
        "noise is 'laplace', but must be one of response, gaussian.",
    ),
    (
        'search("local-lucb", options={"noise": "gaussian"})',
        "noise is gaussian, but delta is 0: give a delta above 0",
    ),
    (
        'search("track-and-stop", options={"errors": (0.5,)})',
        "and error is 0.1, but errors must be smaller than error.",
    ),
    (
        'search("lil-ucb", options={"constants": "best"})',
        "constants is 'best', but must be one of practice, theory.",
    ),
]
