"""Bad input on the command line; test_bad_input plays all of it."""

from __future__ import annotations

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
    (
        "describe exp3 --dimension 3",
        "dimension is not a parameter of the game of exp3, which has arms.",
    ),
    (
        "describe exp3 --experts 3",
        "experts is not a parameter of the game of exp3, which has arms.",
    ),
    ("describe ftrl-ball --geometry cube", "geometry is 'cube', but ftrl-ball is for ball only."),
    (
        "describe ftrl-ball --dimension 0",
        "dimension is 0, but must be a whole number of at least 2.",
    ),
    ("describe lucb --arms 1", "arms is 1, but must be a whole number of at least 2."),
    ("describe lucb --error 1.5", "error is 1.5, but must be above 0 and below 1."),
    (
        "describe exp3 --error 0.1",
        "error is not a parameter of the game of exp3, which has arms.",
    ),
    (
        "simulate lucb exp3",
        "lucb plays best-arm search and exp3 plays arms, but in one simulation all",
    ),
    (
        "simulate lucb --environment table",
        "environment 'table' needs a file of losses or one of rewards",
    ),
    ("describe batched-exp3 --epsilon inf", "epsilon is inf, but must be a finite number above 0."),
    (
        "describe batched-exp3 --epsilon 1e300",
        "epsilon is 1e+300, but must be between 1e-200 and 1e+200.",
    ),
    ("describe batched-exp3 --delta=-0.1", "delta is -0.1, but must be between 0 and 1."),
    ("describe batched-exp3 --delta nan", "delta is nan, but must be between 0 and 1."),
    ("describe batched-exp3 --rounds 0", "rounds is 0, but must be a whole number of at least 2."),
    (
        "describe batched-exp3 --set low=2 --set high=1",
        "low is 2.0 and high is 1.0, but low must be below high.",
    ),
    ("describe batched-exp3 --set high=inf", "high is inf, but must be a finite number."),
    ("describe batched-exp3 --set high=nan", "high is nan, but must be a finite number."),
    ("describe batched-exp3 --set =3", "--set is '=3', but must look like key=value."),
    (
        "describe batched-exp3 --set batch_size=",
        "--set is 'batch_size=', but must look like key=value.",
    ),
    ("describe batched-exp3 --set epsilon=3", "unknown option 'epsilon' of batched-exp3"),
    (
        "describe batched-exp3 --set batch_size=1e9",
        "batch_size is '1e9', but must be a whole number.",
    ),
    (
        "describe private-ftpl --set sums=none",
        "sums is 'none', but must be one of tree, honaker, sqrt-toeplitz, blt, unbounded, ",
    ),
    (
        "describe batched-exp3 --json --plain",
        "--plain and --json are both given, but only one of them may be.",
    ),
    (
        "simulate exp3 exp3 --rounds 50 --trials 1 --quiet",
        "algorithm 'exp3' is listed twice; list each once.",
    ),
    (
        "simulate batched-exp3 --epsilon 1 --epsilon 1 --rounds 50 --trials 1 --quiet",
        "epsilon 1 is listed twice; list each once.",
    ),
    (
        "simulate exp3 ftrl-ball",
        "exp3 plays arms and ftrl-ball plays points of the ball, but in one simulation all",
    ),
    (
        "simulate exp3 --arms 4 --losses none.csv",
        "none.csv is not a file: give a CSV or NPY file with one row per round.",
    ),
    (
        "simulate exp3 --environment linear-stochastic",
        "environment 'linear-stochastic' is for distributions over experts, but arms are",
    ),
    (
        "simulate exp3 --environment table",
        "environment 'table' needs a file of losses or one of rewards, and neither was given.",
    ),
    (
        "simulate exp3 --losses .",
        ". is not a file: give a CSV or NPY file with one row per round.",
    ),
    ("simulate exp3 --losses file.txt", "has 0 rows of losses, but at least 2 rounds are needed."),
    (
        "simulate exp3 --rewards none.csv",
        "none.csv is not a file: give a CSV or NPY file with one row per round.",
    ),
    (
        "simulate exp3 --rewards a.csv --losses b.csv",
        "environment 'table' needs a file of losses or one of rewards, and both were given.",
    ),
    (
        "simulate exp3 --advice none.npy",
        "advice is given, but environment 'stochastic' makes its own: use 'table'.",
    ),
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
        "experts is not a parameter of the game of exp3, which has arms.",
    ),
    ("simulate exp4 --experts 1", "experts is 1, but must be a whole number of at least 2."),
    (
        "simulate exp4 --losses file.txt",
        "environment 'table' needs a file of advice, and none was given.",
    ),
    (
        "simulate private-ftrl-ball --geometry bal",
        "geometry is 'bal', but private-ftrl-ball is for ball only.",
    ),
    (
        "simulate exp3 --output file.txt",
        "file.txt exists already and is not a folder: choose another output folder.",
    ),
    (
        "simulate exp3 --output .",
        ". exists already: choose another output folder, or overwrite it with --overwrite.",
    ),
    (
        "simulate exp3 --output /proc/x",
        "output folder /proc/x cannot be created: no such file or directory.",
    ),
    ("simulate exp3 --output", "Option '--output' requires an argument."),
    ("simulate exp3 --delta 2", "delta is 2.0, but must be between 0 and 1."),
    ("simulate --json", "Missing argument 'NAME...'."),
    ("reproduce", "Missing argument 'NAME'."),
    ("reproduce nothing --output x", "unknown reproduction 'nothing'"),
    (
        "reproduce tossou-figure-1 --output file.txt",
        "file.txt exists already and is not a folder: choose another output folder.",
    ),
    (
        "reproduce tossou-figure-1 --output x --rounds 5",
        "rounds is 5, but must be a whole number of at least 100.",
    ),
    (
        "reproduce tossou-figure-1 --output x --rounds a",
        "Invalid value for '--rounds': 'a' is not a valid integer.",
    ),
    (
        "reproduce tossou-figure-1 --output x --trials=-1",
        "trials is -1, but must be a whole number of at least 1.",
    ),
    (
        "reproduce tossou-figure-1 --output x --seed=-5",
        "seed is -5, but must be a whole number of at least 0.",
    ),
    (
        "reproduce tossou-figure-1 --output .",
        ". exists already: choose another output folder, or overwrite it with --overwrite.",
    ),
    ("audit", "audit needs the name of an algorithm or --all, but not both."),
    ("audit nothing", "unknown algorithm 'nothing': choose from adap-klucb, "),
    ("audit exp3 --all", "audit needs the name of an algorithm or --all, but not both."),
    ("audit batched-exp3 --trials 1", "trials is 1"),
    ("audit batched-exp3 --trials x", "Invalid value for '--trials': 'x' is not a valid integer."),
    ("audit batched-exp3 --epsilon 0", "epsilon is 0.0"),
    ("audit batched-exp3 --set foo=1", "unknown option 'foo' of batched-exp3"),
    ("audit --durations", "audit needs the name of an algorithm or --all, but not both."),
    (
        "audit --durations --all",
        "--durations audits one algorithm: give its name instead of --all.",
    ),
    (
        "audit --durations local-linucb",
        "local-linucb has no live run (contextual bandit), so there are no durations to audit.",
    ),
    ("audit --durations exp3", "the run has no privacy guarantee"),
    ("audit --durations exp3-tau --delta 1e-6", "private through its own sampling"),
    ("audit --durations batched-exp3 --trials 5", "trials is 5, but must be a whole number"),
    ("audit --durations batched-exp3 --set foo=1", "unknown option 'foo' of batched-exp3"),
    (
        "audit --durations batched-exp3 --rounds 100000 --set batch_size=5000",
        "a batch has 5000 rounds, but this audit is for batches of at most 2000.",
    ),
    (
        "counters --output x.foo",
        "output is x.foo, but the name of a picture must end in one of .png, .pdf, .svg.",
    ),
    (
        "counters --output /nonexistent/x.png",
        "output is /nonexistent/x.png, but the folder /nonexistent does not exist.",
    ),
    ("counters --output .", "Invalid value for '--output': File '.' is a directory."),
    ("counters --horizon 1", "horizon is 1, but must be a whole number of at least 2."),
    ("counters --horizon x", "Invalid value for '--horizon': 'x' is not a valid integer."),
    (
        "counters --horizon 999999999999",
        "horizon is 999999999999, which is too large: at most 16,777,216 is possible.",
    ),
    ("counters --copies=-1", "copies is -1, but must be a whole number of at least 0."),
    ("counters --seed x", "Invalid value for '--seed': 'x' is not a valid integer."),
    (
        "counters --seed=-1 --copies 1 --horizon 2",
        "seed is -1, but must be a whole number of at least 0.",
    ),
    ("counters --horizon 4 --horizon 4", "horizon 4 is listed twice; list each once."),
    (
        "errata --output /nonexistent/x.md",
        "output is /nonexistent/x.md, but the folder /nonexistent does not exist.",
    ),
    ("errata --output .", "Invalid value for '--output': File '.' is a directory."),
    ("errata nothing", "Got unexpected extra argument (nothing)"),
    ("cite nothing", "unknown algorithm 'nothing': choose from adap-klucb, "),
    (
        "cite --all exp3",
        "--all cites every algorithm, but exp3 is given too: give one of them.",
    ),
    ("completion", "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish"),
    (
        "completion tcsh",
        "Invalid value for '{bash|zsh|fish}': 'tcsh' is not one of 'bash', 'zsh', 'fish'.",
    ),
    ("glossary nothing", "unknown term 'nothing': choose from "),
]
