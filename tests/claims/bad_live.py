"""Bad input about live use: ledgers, bandits and all other classes; for test_bad_input."""

from __future__ import annotations

CALLS = [
    (
        "Bandit(2, 10, 1.0, wait=5)",
        "wait and a default belong together, such as wait=86400 and default_reward=0: after the "
        "wait, a missing outcome counts as the default.",
    ),
    ("Bandit(2, 10, 1.0, wait=0, default_loss=0.5)", "wait is 0, but must be"),
    (
        "Bandit(2, 10, 1.0, wait=5, default_loss=7.0)",
        "default_loss is outside the declared range 0 to 1",
    ),
    (
        'Bandit(2, 10, 1.0, key="a.key")',
        "key is given, but without path= or store= there is nothing to encrypt.",
    ),
    (
        "Bandit(2, 10, 1.0).tell_all(loss=np.array(0.5))",
        "loss is of type ndarray, but must be pairs of a decision and its outcome.",
    ),
    (
        "Ledger(1.0, max_rounds_per_user=1).admit_all(np.array(5))",
        "users is of type ndarray, but must be a list of users.",
    ),
    ("Bandit(range(10**9), 10, 1.0)", "arms has 1,000,000,000 labels, but may have 10,000,000."),
    ("audit_release_times(None)", "the subject is None, but must be a live run."),
    ("audit_durations(None)", "the subject is None, but must be a live run."),
    ("audit_holdout(None)", "the subject is None, but must be a live run."),
    ("audit_final(None)", "the subject is None, but must be a live run."),
    ("Bandit(2, 10, 1.0, explore=2)", "explore is 2, but must be above 0 and below 1."),
    ("Bandit(2, 10, 1.0, holdout=6)", "more than the horizon of 10."),
    ("LiveRun.over(None, horizon=5)", "private is None, but must be a Private."),
    ("Ledger(0)", "epsilon is 0, but must be a finite number above 0."),
    ("Ledger(None)", "epsilon is None, but must be a finite number above 0."),
    ('Ledger("1")', "epsilon is '1', but must be a finite number above 0."),
    ("Ledger(1, 2)", "delta is 2, but must be between 0 and 1."),
    ('Ledger(1, composition="x")', "unknown composition 'x'"),
    (
        'Ledger(1, composition="zcdp")',
        "delta is 0.0, but composition 'zcdp' needs delta above 0 and below 1.",
    ),
    (
        "Ledger(1, max_rounds_per_user=0)",
        "max_rounds_per_user is 0, but must be a whole number of at least 1.",
    ),
    (
        'Ledger(1, max_rounds_per_user="x")',
        "max_rounds_per_user is 'x', but must be a whole number of at least 1.",
    ),
    (
        'Ledger(1, key=b"x")',
        "key is given, but max_rounds_per_user is None, and without it no user is stored.",
    ),
    (
        'Ledger(1, max_rounds_per_user=1, key=b"x")',
        "key is 1 bytes, but must be at least 16 secret bytes: make one with",
    ),
    (
        'Ledger(1, max_rounds_per_user=1, key="x"*40)',
        "key is a str, but must be at least 16 secret bytes: make one with",
    ),
    (
        "Ledger(1, path=3)",
        "path is 3, but must be the path of a file, as text.",
    ),
    (
        'Ledger(1, path="/nonexistent/x")',
        "path is '/nonexistent/x', but no file can be created there (no such file or",
    ),
    ("Ledger(1).charge(3)", "guarantee is 3, but must be a Guarantee."),
    ("Ledger(1).charge(None)", "guarantee is None, but must be a Guarantee."),
    ("Ledger(1).charge(G, label=3)", "label is 3, but must be printable text."),
    (
        "Ledger(1).charge(G.for_user(rounds=4))",
        "a charge of 4-differential privacy would make epsilon 4.0 and delta 0.0 in all, but",
    ),
    (
        'Ledger(1).admit("x")',
        "max_rounds_per_user is None, but must be set to count the rounds of users.",
    ),
    (
        "Ledger(1, max_rounds_per_user=1).admit(None)",
        "user is of type NoneType, but must be text, a whole number or bytes.",
    ),
    (
        "Ledger(1, max_rounds_per_user=1).admit(1.5)",
        "user is of type float, but must be text, a whole number or bytes.",
    ),
    (
        'Ledger(1, max_rounds_per_user=1).admit("")',
        "user is empty, but must be text that names one person.",
    ),
    ("Bandit(1, 100, 1.0)", "arms is 1, but must be a whole number of at least 2."),
    ('Bandit(["A"], 100, 1.0)', "arms has 1 label, but at least 2 are needed."),
    ('Bandit(["A","A"], 100, 1.0)', "arms has the label 'A' twice, but labels must differ."),
    (
        'Bandit([1,"1"], 100, 1.0)',
        "arms has the labels 1 and '1', which print alike: labels must differ as text.",
    ),
    ("Bandit(3, 100, 1.0, high=1e308)", "high is 1e+308, but must be between -1e+300 and 1e+300."),
    (
        "Bandit(3, 100, 1.0, high=10**400)",
        "..., but must be between -1e+300 and 1e+300.",
    ),
    ('Bandit(3, 100, 1.0, path="/tmp")', "path is '/tmp', which is a folder: give a file."),
    ('Ledger(1, path="/tmp")', "path is '/tmp', which is a folder: give a file."),
    ('Bandit.open("/tmp")', "path is '/tmp', which is a folder: give a file."),
    (
        'Bandit("AB", 100, 1.0)',
        "arms is 'AB', but must be a list of labels or a whole number of at least 2.",
    ),
    (
        "Bandit(None, 100, 1.0)",
        "arms is None, but must be a list of labels or a whole number of at least 2.",
    ),
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
        "algorithm is hedge, which plays distributions over experts: use Experts or "
        "VectorOptimizer.",
    ),
    (
        "Bandit(3, 100, 1.0, seed=1)",
        "seed is 1, but live noise cannot be seeded: only simulation=True takes a seed.",
    ),
    (
        "Bandit(3, 100, 1.0, simulation=True, seed=-1)",
        "seed is -1, but must be a whole number of at least 0.",
    ),
    ('Bandit(3, 100, 1.0, simulation="yes")', "simulation is 'yes', but must be True or False."),
    ("Bandit(3, 100, 1.0, ledger=3)", "ledger is 3, but must be a discreet.Ledger."),
    (
        "Bandit(3, 100, 1.0, simulation=True, ledger=Ledger(1))",
        "ledger is given, but simulation=True draws noise that protects nobody: leave it out.",
    ),
    (
        "Bandit(3, 100, 1.0, path=3)",
        "path is 3, but must be the path of a file, as text.",
    ),
    (
        'Bandit(3, 100, 1.0, path="/nonexistent/x")',
        "path is '/nonexistent/x', but no file can be created there (no such file or",
    ),
    (
        'Bandit(3, 100, 1.0, algorithim="best")',
        "Bandit has no argument 'algorithim': did you mean 'algorithm'?",
    ),
    (
        "Bandit(3, 100, 1.0, max_round_per_user=1)",
        "Bandit has no argument 'max_round_per_user': did you mean 'max_rounds_per_user'?",
    ),
    (
        'Optimizer("ball(2)", 100, 1.0, epsilons=1)',
        "Optimizer has no argument 'epsilons': did you mean 'epsilon'?",
    ),
    (
        'Bandit(3, 100, 1.0, algorithm="batched-exp3", sise=1)',
        "unknown option 'sise' of batched-exp3: choose from ",
    ),
    ("Bandit(3, 100, 1.0, bananas=1)", "unknown option 'bananas' of one-bit-tsallis-inf"),
    ('Bandit.open("/nonexistent/x")', "path is '/nonexistent/x', but there is no file."),
    ("Bandit.open(None)", "path and store are None: give one of them."),
    (
        'Bandit(3, 100, 1.0, store="run.db")',
        "store has no scheme, but must be a Store or a URL with",
    ),
    (
        'Bandit(3, 100, 1.0, store="x://u:secret@h/d")',
        "store has the scheme 'x', but must be a Store",
    ),
    (
        'Bandit(3, 100, 1.0, store="postgresql://u:secret@h/d")',
        "store is a URL of PostgreSQL, but a run there also needs a secret and a witness",
    ),
    ('Bandit(3, 100, 1.0, store="sqlite://run.db")', "but must name a file, such as 'sqlite:///"),
    (
        'Bandit(3, 100, 1.0, path="a", store="memory://")',
        "path and store are both given, but a run",
    ),
    ("Bandit(3, 100, 1.0, store=3)", "store is 3, but must be a Store or a URL such as"),
    ('Bandit.open(store="memory://")', "the store in memory has no run."),
    (
        "(lambda b: b.tell(b.ask()))(Bandit(3, 100, 1.0))",
        "tell needs one outcome: either reward or loss.",
    ),
    (
        "(lambda b: b.tell(b.ask(), reward=1, loss=1))(Bandit(3, 100, 1.0))",
        "tell needs one outcome: either reward or loss.",
    ),
    (
        "(lambda b: b.tell(b.ask(), reward=3))(Bandit(3, 100, 1.0))",
        "the reward is outside the declared range 0 to 1; clip=True would clip it.",
    ),
    (
        '(lambda b: b.tell(b.ask(), reward="x"))(Bandit(3, 100, 1.0))',
        "the reward is of type str, but must be a finite number.",
    ),
    (
        '(lambda b: b.tell(b.ask(), reward=float("nan")))(Bandit(3, 100, 1.0))',
        "the reward is not a finite number.",
    ),
    (
        'Bandit(3, 100, 1.0).ask(user="x")',
        "user is given, but this run does not limit the rounds of a user: create the run, or its "
        "ledger, with max_rounds_per_user.",
    ),
    (
        "Bandit(3, 100, 1.0, ledger=Ledger(5, max_rounds_per_user=3)).ask()",
        "ask needs the user: the ledger allows each user at most 3 rounds.",
    ),
    (
        'Bandit(3, 100, 1.0, ledger=Ledger(1, max_rounds_per_user=3)).ask(user="x")',
        "a charge of 3-differential privacy would make epsilon 3.0 and delta 0.0 in all, but",
    ),
    (
        "Bandit(3, 100, 1.0, max_rounds_per_user=3).ask()",
        "ask needs the user: the run allows each user at most 3 rounds.",
    ),
    (
        "Bandit(3, 100, 1.0, max_rounds_per_user=3, per=30)",
        "per is 30, but must be a timedelta from a minute to a century, such as "
        "timedelta(days=30).",
    ),
    (
        "Bandit(3, 100, 1.0, max_rounds_per_user=3, ledger=Ledger(9, max_rounds_per_user=3))",
        "max_rounds_per_user is given, but the ledger also limits the rounds of a user, over all "
        "its runs: give one of the two.",
    ),
    (
        'Ledger(1, max_rounds_per_user=3).admit_all("Ada")',
        "users is of type str, but must be a list of users.",
    ),
    ("Experts(1, 100, 1.0)", "experts is 1, but must be a whole number of at least 2."),
    ("Experts(3, 100, None)", "epsilon is None, but must be a finite number above 0."),
    (
        "(lambda b: b.tell(b.ask(), losses=[1,2]))(Experts(3, 100, 1.0))",
        "the losses have the shape (2,), but must be a vector of length 3.",
    ),
    (
        'VectorOptimizer("ball", 0, 100, 1.0)',
        "dimension is 0, but must be a whole number of at least 2.",
    ),
    (
        'VectorOptimizer("bal", 2, 100, 1.0)',
        "geometry is 'bal', but must be 'ball' or 'cube' (for distributions use Experts)",
    ),
    ('Optimizer("bal(2)", 100, 1.0)', "unknown set 'bal'"),
    (
        'Optimizer("ball(2)", 100, 1.0, geometry="ball")',
        "geometry is given, but belongs to VectorOptimizer",
    ),
    (
        'Optimizer("ball(2)", 100, 1.0, lipschitz=0)',
        "lipschitz is 0, but must be a finite number above 0.",
    ),
    ("Advisor(3, 1, 100, 1.0)", "experts is 1, but must be a whole number of at least 2."),
    (
        'Ledger(1, max_rounds_per_user=1).admit("  ")',
        "user is empty, but must be text that names one person.",
    ),
    (
        'Ledger(1, max_rounds_per_user=1).admit(b"\\xff")',
        "user is not valid text: bytes must be UTF-8 (or give their hex()), text must have no "
        "lone surrogates, and numbers at most 4,300 digits.",
    ),
    ("Ledger(1).epsilon_a_round(runs=0)", "runs is 0, but must be a whole number of at least 1."),
    (
        'Ledger(1).epsilon_a_round(runs="x")',
        "runs is 'x', but must be a whole number of at least 1.",
    ),
    (
        'Bandit(3, 100, 1.0, ledger=Ledger(2.0, max_rounds_per_user=4)).ask(user="Ada")',
        "a charge of 4-differential privacy would make epsilon 4.0 and delta 0.0 in all, but",
    ),
]
