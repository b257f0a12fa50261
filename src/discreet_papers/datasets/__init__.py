"""Data sets as environments: ACTG 175, diabetes, and labelled data of scikit-learn."""

from discreet_papers.datasets.actg175 import Actg175Arms, Actg175Replay, Actg175Simulator
from discreet_papers.datasets.classification import Classification
from discreet_papers.datasets.diabetes import Diabetes

__all__ = ["Actg175Arms", "Actg175Replay", "Actg175Simulator", "Classification", "Diabetes"]
