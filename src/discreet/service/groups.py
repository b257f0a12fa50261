"""One thread writes: it processes all waiting requests together, and answers after the commit.

Outcomes and decisions that wait for the same run form one group, with one commit for many requests.
The same thread makes all other changes of the database, between groups.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from discreet.errors import AlreadyTold, DiscreetError
from discreet.live import AskRequest, TellRequest
from discreet.live.frames import without_frames
from discreet.service.host import Host
from discreet.service.hosted import Hosted
from discreet.service.logs import log_failure
from discreet.service.problems import RETRY, HttpProblem, problem_of

Result = TypeVar("Result")
QUEUE = 4096  # asks, and as many outcomes, that may wait for one run
GROUP = 256  # asks, and as many outcomes, in one group


class Given(NamedTuple):
    """A decision, and whether its name was used before."""

    decision: Any
    repeated: bool


class PendingAsk(NamedTuple):
    """A decision that a caller waits for."""

    request: AskRequest
    future: asyncio.Future[Any]
    since: float


class PendingTell(NamedTuple):
    """An outcome to be committed."""

    request: TellRequest
    future: asyncio.Future[Any]


class RunQueue:
    """The queue of one run. Outcomes never take a place from decisions, nor the reverse."""

    def __init__(self, hosted: Hosted) -> None:
        self.hosted = hosted
        self.asks: deque[PendingAsk] = deque()
        self.tells: deque[PendingTell] = deque()

    def is_over(self, host: Host) -> bool:
        """Return whether the queue is empty, and nothing more will come."""
        name = self.hosted.name
        there = host.has(name) and host.get(name) is self.hosted
        return not (there or self.asks or self.tells)

    def take(self) -> tuple[list[PendingTell], list[PendingAsk]]:
        """Return the next group."""
        tells = [self.tells.popleft() for _ in range(min(len(self.tells), GROUP))]
        asks = [self.asks.popleft() for _ in range(min(len(self.asks), GROUP))]
        return tells, asks


class Writer:
    """The thread that changes the database."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._queues: dict[Hosted, RunQueue] = {}  # only the event loop changes it
        self._calls: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._awake = threading.Event()
        self._waking: set[asyncio.AbstractEventLoop] = set()  # loops about to wake it
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="discreet-writer", daemon=True)

    def start(self) -> None:
        """Start working."""
        self._thread.start()

    def stop(self) -> None:
        """Finish all waiting requests, then end."""
        self._closing = True
        self._awake.set()
        self._thread.join()

    @property
    def working(self) -> bool:
        """Whether it accepts requests."""
        return self._thread.is_alive() and not self._closing

    def _queue(self, hosted: Hosted) -> RunQueue:
        self._check_open()
        queue = self._queues.get(hosted)
        if queue is None:
            # requests for a run that was restored meanwhile are still answered
            for each in [found for found in self._queues.values() if found.is_over(self.host)]:
                del self._queues[each.hosted]
            queue = self._queues[hosted] = RunQueue(hosted)
        return queue

    def _check_open(self) -> None:
        if self._closing:
            raise HttpProblem(
                "closing", "the service is closing.", headers={"Retry-After": str(RETRY)}
            )

    def ask(self, hosted: Hosted, request: AskRequest) -> asyncio.Future[Given]:
        """Ask for a decision; the future gets it, or a refusal, after the commit."""
        queue = self._queue(hosted)
        if len(queue.asks) >= QUEUE:
            raise _too_many("decisions")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Given] = loop.create_future()
        queue.asks.append(PendingAsk(request, future, time.perf_counter()))
        self._wake_soon(loop)
        return future

    def tell(self, hosted: Hosted, request: TellRequest) -> asyncio.Future[bool]:
        """Report an outcome; the future gets True after the commit, False for a repeated one."""
        queue = self._queue(hosted)
        if len(queue.tells) >= QUEUE:
            raise _too_many("outcomes")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bool] = loop.create_future()
        queue.tells.append(PendingTell(request, future))
        self._wake_soon(loop)
        return future

    async def recalled(self, hosted: Hosted, name: str) -> Given:
        """Return the decision with a name from a run that has ended; refuse any other name."""
        known = await self.call(lambda: hosted.live.recalled(name))
        if known is None:
            raise hosted.ended()
        return Given(known, True)

    async def call(self, change: Callable[[], Result]) -> Result:
        """Make another change between two groups, and return its result."""
        self._check_open()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._calls.append((change, future))
        self._wake_soon(loop)
        return await answer_of(future)

    def _wake_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wake the writer when all requests received by now are in their queues."""
        if loop not in self._waking:
            self._waking.add(loop)
            loop.call_soon(self._wake, loop)

    def _wake(self, loop: asyncio.AbstractEventLoop) -> None:
        self._waking.discard(loop)
        self._awake.set()

    def _work(self) -> None:
        while True:
            self._awake.wait()
            self._awake.clear()
            while self._calls or any(queue.asks or queue.tells for queue in self._waiting()):
                if self._calls:
                    self._change(*self._calls.popleft())
                for queue in self._waiting():
                    if queue.asks or queue.tells:
                        self._exchange(queue)
            if self._closing:
                return

    def _waiting(self) -> list[RunQueue]:
        return list(self._queues.values())

    @staticmethod
    def _change(change: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        try:
            result = change()
        except BaseException as error:
            if not isinstance(error, DiscreetError | HttpProblem):
                log_failure("a change", error)
            _answer([(future, without_frames(error))])
        else:
            _answer([(future, result)])

    def _exchange(self, queue: RunQueue) -> None:
        """Commit a group of one run, and answer it."""
        hosted = queue.hosted
        taken: tuple[list[PendingTell], list[PendingAsk]] = ([], [])
        repeated: list[bool] = []

        def drain() -> tuple[list[TellRequest], list[AskRequest]]:
            nonlocal taken
            taken = queue.take()
            return [each.request for each in taken[0]], [each.request for each in taken[1]]

        try:
            results = hosted.live.exchange(drain, repeated=repeated)
            answers = self._answers(hosted, results, taken, repeated)
        except BaseException as error:
            if not isinstance(error, DiscreetError):
                log_failure("a group", error)
            if not taken[0] and not taken[1]:  # the lock was not obtained: nobody waits any longer
                taken = queue.take()
            failure = without_frames(error)
            answers = [(each.future, failure) for part in taken for each in part]
        _answer(answers)

    def _answers(
        self,
        hosted: Hosted,
        results: list[Any],
        taken: tuple[list[PendingTell], list[PendingAsk]],
        repeated: list[bool],
    ) -> list[tuple[asyncio.Future[Any], Any]]:
        """Return the answers for a group, and count its decisions."""
        tells, asks = taken
        answers: list[tuple[asyncio.Future[Any], Any]] = []
        for told, result in zip(tells, results, strict=False):
            answers.append((told.future, _told(result, hosted)))
        now, latencies, choices = time.perf_counter(), [], []
        given = zip(asks, results[len(tells) :], repeated[len(tells) :], strict=True)
        for asked, result, again in given:
            if isinstance(result, DiscreetError):
                answers.append((asked.future, result))
                continue
            answers.append((asked.future, Given(result, again)))
            if not again:
                latencies.append(now - asked.since)
                choices.append(None if hosted.form.choice is None else hosted.form.choice(result))
        if latencies:  # first, so that a caller with an answer also finds it counted
            self.host.traffic.asked(hosted.name, latencies)
            hosted.unsaved.add(self.host.now(), choices)
        return answers


def _told(result: object, hosted: Hosted) -> object:
    """Return True for an outcome that is answered like the first, False for a repeated one.

    With ``wait``, outcomes in time, repeated or late all get the same answer: otherwise anyone who
    may send outcomes could find out who has answered.
    """
    if isinstance(result, AlreadyTold):
        return hosted.wait is not None
    return result if isinstance(result, DiscreetError) else True


def _answer(answers: list[tuple[asyncio.Future[Any], Any]]) -> None:
    """Pass results to the waiting callers, in one step of each event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
    for answer in answers:
        by_loop.setdefault(answer[0].get_loop(), []).append(answer)
    for loop, mine in by_loop.items():
        try:
            loop.call_soon_threadsafe(_deliver, mine)
        except RuntimeError:  # the loop is closed: there is no caller left
            continue


def _deliver(answers: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, result in answers:
        if not future.done():
            future.set_result(result)


async def answer_of(future: asyncio.Future[Result]) -> Result:
    """Return the writer's answer, or raise its refusal.

    A refusal is passed as a result, so that nothing is logged if nobody waits any more.
    """
    result = await future
    if isinstance(result, BaseException):
        raise problem_of(result)
    return result


def _too_many(what: str) -> HttpProblem:
    return HttpProblem(
        "busy", f"too many {what} wait for this run.", headers={"Retry-After": str(RETRY)}
    )
