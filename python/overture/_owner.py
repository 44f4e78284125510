"""What Tables and BagCache have in common: they take turns with the native part, and end cleanly."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from multiprocessing import util
from typing import Any, Callable, Iterator

from overture import _batches
from overture._interrupts import leave_on_ctrl_c
from overture._native import OvertureError
from overture.batch import Batch

_open: "weakref.WeakSet[Owner]" = weakref.WeakSet()


class Owner:
    """Takes batches from the native part one by one, and gives their gradients back."""

    def __init__(self, native: Any, state: "Callable[[], bytes] | None", device: Any = None):
        self.native = native
        self.state = state  # of the user's model, for checkpoints
        self.device = device
        self.dims = native.dims
        self.current: "Batch | None" = None
        self.over = False
        self.asked = False  # for the next batch, which has not been taken yet
        self.source: "Iterator[Any]" = iter(())  # of the user's own batches
        self.pulled = 0
        self.opened_elsewhere = False  # by the process that this one was forked from

    def begin(self) -> "Owner":
        """From now on the end of the program is looked after."""
        _open.add(self)
        return self

    def wait_for(self, *turns: str) -> str:
        """Waits until it is one of these turns, or the end. Meanwhile it brings batches and what a pause asks for."""
        while True:
            turn = self.native.wait()
            if turn in turns or turn == "end":
                return turn
            if turn == "want":
                self.bring_batch()
            elif turn == "pause":
                self.native.give_state(self.model_state())
            else:
                raise OvertureError(f"this is not the time for it: {turn}, not {' or '.join(turns)}")

    def model_state(self) -> bytes:
        given = self.state() if self.state is not None else b""
        if not isinstance(given, (bytes, bytearray)):
            raise OvertureError(
                f"state: is {type(given).__name__}, not bytes\n  overture.pack() makes bytes of models and optimizers"
            )
        return bytes(given)

    def bring_batch(self) -> None:
        try:
            given = next(self.source)
        except StopIteration:
            self.native.end_of_batches()
            return
        self.native.push(*_batches.arrays(given, len(self.dims), self.pulled))
        self.pulled += 1

    def next_batch(self) -> "Batch | None":
        """The next batch; None at the end."""
        if self.over:
            self.check_process()
            return None
        self.check_returned()
        try:  # every batch comes this way: `with` would cost a microsecond
            if not self.asked:
                self.native.next()
                self.asked = True
            if self.wait_for("batch") == "end":
                self.finish()
                return None
        except Exception as error:
            self.abandon_for(error)
            raise
        self.asked = False
        self.current = Batch(self, self.native.batch(), self.dims)
        return self.current

    def check_process(self) -> None:
        if self.opened_elsewhere:
            raise OvertureError(
                "the tables belong to the process that this one was forked from\n"
                "  open them in the process that trains, or start processes with the method spawn"
            )

    def check_returned(self) -> None:
        if self.current is None or self.current.returned:
            return
        raise OvertureError(
            f"the gradients of batch {self.current.step} have not come back\n"
            "  call loss.backward() before the next batch, of a loss that depends on its embeddings; or batch.skip()"
        )

    def check_current(self, batch: Batch) -> None:
        if batch is not self.current or self.over:
            self.check_process()
            raise OvertureError(f"batch {batch.step} is over\n  look rows up before the next batch is taken")

    def take_gradients(self, batch: Batch, gradients: list) -> None:
        if batch.returned:
            raise OvertureError(
                f"the gradients of batch {batch.step} have come back already\n  call backward() once for a batch"
            )
        self.check_current(batch)
        self.native.give_back(gradients, float("nan"))
        batch.returned = True

    def save(self) -> str:
        """Writes a checkpoint of everything up to the last batch; says where it is."""
        self.check_process()
        self.check_returned()
        if self.asked:
            raise OvertureError("the next batch is under way\n  take it with next_batch(), and save after its backward()")
        with self.ending_on_error():
            if self.wait_for("idle") == "idle":
                self.native.save()
                self.wait_for("idle")
        return self.native.kept

    # ---- the end

    def _end(self) -> None:
        """Lets go of what knows this owner: tables that nobody holds any more are freed now, not by the collector."""
        self.over = True
        _open.discard(self)
        self.current = None
        self.source = iter(())

    def finish(self) -> None:
        self._end()
        leave_on_ctrl_c(self.native.finish)

    def abandon(self, why: str) -> None:
        """Ends at once; what has not been saved is lost."""
        if self.over:
            return
        self._end()
        self.native.abandon(why)

    def abandon_for(self, error: Exception) -> None:
        self.abandon(f"the program has ended: {type(error).__name__}: {error}")

    def close(self) -> None:
        """Ends in good order: rows go back to their servers, and the others learn that this trainer has enough."""
        if self.over:
            return
        if self.current is not None and not self.current.returned:
            self.abandon(f"the program has ended before the gradients of batch {self.current.step} came back")
            return
        if self.asked:
            self.abandon("the program has ended while it waited for a batch")
            return
        with self.ending_on_error():
            if self.wait_for("idle") == "idle":
                self.native.leave()
                self.wait_for("end")
            self.finish()

    def ending_on_error(self) -> "_EndingOnError":
        return _EndingOnError(self)


class _EndingOnError:
    """After an error of ours or of the user's source there is no next batch; Ctrl-C changes nothing."""

    def __init__(self, owner: Owner):
        self.owner = owner

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind, error, trace) -> None:
        if error is not None and isinstance(error, Exception):
            self.owner.abandon_for(error)


def _close_all() -> None:
    """When the interpreter ends: in good order if the program did, at once otherwise."""
    broken = sys.exc_info()[1] or getattr(sys, "last_value", None)
    for owner in list(_open):
        try:
            if broken is not None:
                owner.abandon(f"the program has ended: {type(broken).__name__}: {broken}")
            else:
                owner.close()
        except KeyboardInterrupt:
            owner.abandon("the program was interrupted")
        except OvertureError as error:
            print(f"overture: {error}", file=sys.stderr)


def _forget_all() -> None:
    """In a forked process the threads of the tables do not exist; waiting for them would never end."""
    for owner in list(_open):
        owner.over = owner.opened_elsewhere = True
        owner.native.forget()
    _open.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_forget_all)
util.Finalize(None, _close_all, exitpriority=100)  # processes of multiprocessing end without atexit
