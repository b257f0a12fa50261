"""Requests of groups, for one live face of every kind."""

from __future__ import annotations

from makers import ADVICE

from discreet import (
    Advisor,
    ContextualBandit,
    Experts,
    Optimizer,
    SlateBandit,
    VectorOptimizer,
)
from discreet.live import AskRequest, TellRequest


def outcome(face, loss=0.25):
    if isinstance(face, Experts):
        return {"losses": [loss, 0.5, 1.0]}
    if isinstance(face, VectorOptimizer):
        return {"loss": [loss, 0.0, -0.25]}
    if isinstance(face, SlateBandit):
        return {"losses": [loss, 0.5]}
    if isinstance(face, Optimizer) and face.algorithm == "private-two-point":
        return {"loss": [loss, 0.5]}
    return {"loss": loss}


def ask(face, name=None, **options):
    if isinstance(face, ContextualBandit):
        options["context"] = [0.5]
    if isinstance(face, Advisor):
        options["advice"] = ADVICE
    return AskRequest(name, options)


def tell(face, decision, **changes):
    given = {"decision_id": decision.id, "token": decision.token, "outcome": outcome(face)}
    return TellRequest(**given | changes)
