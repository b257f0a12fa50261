"""Attacks on audits: mechanisms that are broken and must be caught, and sound ones that must not;
and on durations, as audits measure them.
"""

from __future__ import annotations

from attack_report import attack
from broken_mechanisms import BROKEN
from durations import CLIENTS
from false_alarms import alarms, mechanisms
from hidden_faults import HIDDEN
from rarely_broken import RARELY
from scipy import stats
from test_broken_mechanisms import QUICK, find

from discreet import audit, audit_durations
from discreet.auditing.bounds import CONFIDENCE
from discreet.auditing.durations import LIMIT

SURE = 1.0 - 1e-4  # of a bound on what durations show: one of ten thousand errs


@attack(
    "a mechanism has one fault: rare, at some levels only, in bits, in time",
    holds="the default audit detects it, or the named contract check does",
    tries=len(BROKEN) + len(RARELY) + len(HIDDEN),
)
def broken_mechanisms(tries):
    everything = {name: RARELY[name] for name in QUICK} | HIDDEN | RARELY | BROKEN
    faults, by_audit = [], 0
    for name in list(everything)[:tries]:
        broken = everything[name]
        if "audit" in broken.caught_by:
            caught = audit(broken.make()).violated
            by_audit += caught
        else:
            caught = find(broken.caught_by[0], broken.make())
        faults += [] if caught else [name]
    made = min(tries, len(everything))
    rest = made - len(faults) - by_audit
    return made, faults, f"{by_audit} by the audit and {rest} by checks of contracts"


@attack(
    "a sound mechanism is audited, even one that remembers its releases",
    holds="at most 1 % of audits report a violation",
    tries=100,
)
def false_alarms(tries):
    found = alarms(tries).total()
    chance = stats.binom.sf(found - 1, tries, 1.0 - CONFIDENCE)
    faults = [f"{found} alarms, which has a chance of {chance:.2g}"] if chance < 1e-4 else []
    return tries, faults, f"{found} alarms with {len(mechanisms())} mechanisms"


@attack(
    "a single duration of ask, tell or a release distinguishes neighbouring inputs",
    holds=f"epsilon of at most {LIMIT:g}",
    tries=14 * 2_000,
    timed=True,
)
def durations(tries):
    faults, made, largest = [], 0, (-1.0, "")
    for name, client in CLIENTS.items():
        found = audit_durations(client(), trials=max(200, tries // len(CLIENTS)), confidence=SURE)
        made += found.trials
        largest = max(largest, (found.lower_bound, name))
        faults += [f"{name}: {found}"] if found.leaks else []
    return made, faults, f"at most {largest[0]:.3f}, of {len(CLIENTS)} kinds of runs"
