"""The commands `status` and `trace`: what is under way, and the story of one invoice."""

from domain.problems import FaturistaError, Problem
from flows import screens
from flows.arguments import Profile, console, whole
from tasks.runtime import open_desk
from tasks.views import trace as traces
from tasks.views.status import overview


def status(*, profile: Profile = "local") -> None:
    """Show what was issued, what waits for whom, what failed and what to do."""
    with open_desk(profile) as desk:
        screens.show_overview(console, desk.catalogue, overview(desk))


def trace(
    *,
    file: str | None = None,
    row: int | None = None,
    sheet: str | None = None,
    rps: str | None = None,
    nfse: str | None = None,
    note: int | None = None,
    profile: Profile = "local",
) -> None:
    """Follow one invoice from its cell to the city's number and back."""
    with open_desk(profile) as desk:
        if file is not None and row is not None:
            stories = traces.trace_row(desk, file=file, sheet=sheet, row_number=row)
        elif rps is not None:
            serie, _, number = rps.rpartition("-")
            stories = traces.trace_number(desk, serie=serie, number=whole(number))
        elif nfse is not None:
            stories = traces.trace_nfse(desk, nfse_number=nfse)
        elif note is not None:
            stories = traces.trace_remote(desk, remote_id=note)
        else:
            raise FaturistaError(Problem("trace.nothing_named"))
        for story in stories:
            screens.show_story(console, desk.catalogue, story)
