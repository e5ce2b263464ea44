"""Decide when a note whose post was never answered may be posted again, and when a person has to decide.

The story: a provider answers more slowly than we wait. Each post is given up, so each post makes a doubt. Three things
may be true of such a note.

* The provider stored it, however late. A stable listing shows it with our content: we adopt it, whatever the number of
  doubts. This needs no person.
* The provider never took it. Two stable listings lack it, the second one after the quiet time: we post it again under
  the same number. Where notes wait in a batch until a send, a wrong guess is harmless: the arrival that was too late
  stands in the batch as a surplus note, and the listed proof, which every doubt demands, deletes it before the send.
  A slow provider gets more time after each doubt: the quiet time doubles. After `MOST_DOUBTS` something other than
  slowness is wrong, and a person decides.
* The provider issued it outside its batch. The series record then shows our number while the batch lacks it: nothing is
  posted again, and a person decides.

Where a post issues at once, a second arrival is a second tax document that nothing can delete: a person decides after
the second doubt. A note that was refused after a doubt also goes to a person then: another post brings the same answer.
"""

from typing import Final

MOST_DOUBTS: Final = 5
MOST_DOUBTS_WHERE_POSTING_ISSUES: Final = 2


def quiet_after(quiet_s: float, doubts: int) -> float:
    """Return for how many seconds a note stays quiet after its latest doubt; `doubts` counts that one."""
    return float(quiet_s * 2 ** max(0, doubts - 1))


def most_doubts(*, is_staged: bool, is_refused: bool) -> int:
    """Return the number of doubts at which a person decides about a note that two listings lack."""
    return MOST_DOUBTS if is_staged and not is_refused else MOST_DOUBTS_WHERE_POSTING_ISSUES
