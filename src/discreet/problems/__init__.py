"""Problems: actions, observations and feedback, and the comparator of regret."""

from discreet.problems.advice import Advice, AdviceEnvironment, AdviceGame
from discreet.problems.arms import (
    ArmGame,
    Arms,
    ArmsEnvironment,
    BestArm,
    SearchEnvironment,
    coins_of,
)
from discreet.problems.base import (
    Environment,
    Game,
    Problem,
    ReactingGame,
    SkippingGame,
    TableGame,
)
from discreet.problems.coins import CoinGame, Coins, toss, tossed, tossed_in_words
from discreet.problems.contexts import Against, ContextGame, Contexts, ContextsEnvironment
from discreet.problems.domains import Domain, domain_named
from discreet.problems.function_games import FunctionGame, LinearFunctions, Pairs
from discreet.problems.functions import Functions, FunctionsEnvironment
from discreet.problems.points import (
    FullInformation,
    GeometryName,
    LinearGame,
    Points,
    with_full_information,
)
from discreet.problems.slates import ItemLosses, SemiBandit, SlateGame

__all__ = [
    "Advice",
    "AdviceEnvironment",
    "AdviceGame",
    "Against",
    "ArmGame",
    "Arms",
    "ArmsEnvironment",
    "BestArm",
    "CoinGame",
    "Coins",
    "ContextGame",
    "Contexts",
    "ContextsEnvironment",
    "Domain",
    "Environment",
    "FullInformation",
    "FunctionGame",
    "Functions",
    "FunctionsEnvironment",
    "Game",
    "GeometryName",
    "ItemLosses",
    "LinearFunctions",
    "LinearGame",
    "Pairs",
    "Points",
    "Problem",
    "ReactingGame",
    "SearchEnvironment",
    "SemiBandit",
    "SkippingGame",
    "SlateGame",
    "TableGame",
    "coins_of",
    "domain_named",
    "toss",
    "tossed",
    "tossed_in_words",
    "with_full_information",
]
