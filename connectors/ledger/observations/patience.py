"""Decide when a note without an answer may be posted again, and when a person has to decide.

The case: a provider answers more slowly than our timeout, so each post ends in doubt. There are three possibilities.

* The provider stored the note, however late. A stable listing shows it with our content: we adopt it, after any number
  of doubts, without a person.
* The provider never received it. Two stable listings lack it, the second one after the quiet time: we post it again
  under the same number. Where notes wait in a batch until a send, a wrong guess is harmless: the late arrival is a
  surplus note in the batch, and the listed proof, which every doubt requires, deletes it before the send. A slow
  provider gets more time after each doubt: the quiet time doubles. After `MOST_DOUBTS` slowness is no longer the
  likely cause, and a person decides.
* The provider issued it outside its batch. The provider's record of the serie then shows our number, while the batch
  lacks it: nothing is posted again, and a person decides.

Where the post issues at once, a second arrival is a second tax document that nobody can delete: a person decides after
the second doubt. A person also decides about a note that was refused after a doubt, because another post would bring
the same answer.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

MOST_DOUBTS: Final = 5
MOST_DOUBTS_WHERE_POSTING_ISSUES: Final = 2
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


def quiet_after(quiet_s: float, doubts: int) -> float:
    """Return the quiet time in seconds after a note's latest doubt. `doubts` includes that one."""
    return float(quiet_s * 2 ** max(0, doubts - 1))


def quiet_end(
    last_byte_at: datetime | None,
    settle_after: datetime | None,
    doubts: int,
    *,
    quiet_s: float,
    request_timeout_s: float,
) -> datetime:
    """Return the instant from which a listing can prove a note's absence.

    Quiet time counts from `last_byte_at`, the note's last byte. After a takeover it counts from `request_timeout_s`
    after `settle_after`, the end of the lease that was taken over, if that is later.
    """
    starts = [_LONG_AGO if last_byte_at is None else last_byte_at]
    if settle_after is not None:
        starts.append(settle_after + timedelta(seconds=request_timeout_s))
    return max(starts) + timedelta(seconds=quiet_after(quiet_s, doubts))


def most_doubts(*, is_staged: bool, is_refused: bool) -> int:
    """Return the number of doubts after which a person decides about a note that two listings lack."""
    return MOST_DOUBTS if is_staged and not is_refused else MOST_DOUBTS_WHERE_POSTING_ISSUES
