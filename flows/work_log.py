"""Log what stations did: the work, its subject and the counts."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from configs.catalogue import Catalogue
from configs.language import language_of
from domain.station_result import Ending, StationResult
from tasks.views.dashboard import say_counts, say_subject

LOG: Final = logging.getLogger("faturista.stations")
# Without configured logs, as in a command, no warning may appear in the command's output.
logging.getLogger("faturista").addHandler(logging.NullHandler())

_IDS: Final = ("profile", "file", "reading", "batch", "plan")
"""Parameters of stations whose values go into log lines. No path is among them: a folder may have a person's name."""


def ids_of(station: Callable[..., Awaitable[Any]], /, *args: Any, **kwargs: Any) -> dict[str, str | int]:
    """Return the ids among a station's arguments, by the parameter's name."""
    given = inspect.signature(station).bind_partial(*args, **kwargs).arguments
    return {name: given[name] for name in _IDS if isinstance(given.get(name), str | int)}


def log_results(made: object) -> None:
    """Log a line for each result in what a station returned, in the operator's language."""
    words = Catalogue.load(language_of())
    for result in results_of(made):
        title = f"{words.text(f'station.{result.station}')}: {say_subject(words, result.subject)}"
        counts = say_counts(words, result)
        remarks = " ".join(words.say(remark) for remark in result.remarks)
        figures = {
            "station": result.station,
            "subject": [result.subject.entity, result.subject.key],
            "ending": result.ending.value,
            "counts": dict(result.counts),
            "remarks": [remark.code for remark in result.remarks],
        }
        level = logging.WARNING if result.ending is Ending.DISTURBED else logging.INFO
        parts = (title, words.text(f"ending.{result.ending.value}"), counts, remarks)
        LOG.log(level, "%s", " · ".join(part for part in parts if part), extra={"figures": figures})


def results_of(made: object) -> Iterator[StationResult]:
    """Yield the results in what a station returned."""
    if isinstance(made, StationResult):
        yield made
    elif isinstance(made, list | tuple):
        for each in made:
            yield from results_of(each)
