"""Write log lines as JSON on standard error, one object a line, with the ids of their work.

Only loggers below `faturista` are written. Their messages contain ids, counts and sentences of the message catalogue:
never a cell, a name or a document.
"""

import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from domain.log_context import bound_ids

LOGGER: Final = "faturista"


class JsonLine(logging.Formatter):
    """Format a record as one line of JSON.

    Include only an error's type and place: its text may quote a person's data.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **bound_ids(),
            **getattr(record, "figures", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line |= {"error": record.exc_info[0].__name__, "raised_in": _frames(record.exc_info[2])}
        return json.dumps(line, ensure_ascii=False, default=str)


def _frames(trace: Any) -> list[str]:
    """Return `function:line` of each frame, the outermost first."""
    found = []
    while trace is not None:
        found.append(f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}")
        trace = trace.tb_next
    return found


class _StandardError(logging.Handler):
    """Writes to the standard error of the moment of each line. A line that cannot be written is lost."""

    def emit(self, record: logging.LogRecord) -> None:
        # a full disk under the log must not make finished work fail
        with suppress(OSError):
            print(self.format(record), file=sys.stderr, flush=True)  # noqa: T201 - this is the log


def configure_logs(level: str) -> None:
    """Write our own log lines of this level and above as JSON. Safe to repeat."""
    logger = logging.getLogger(LOGGER)
    logger.setLevel(level.upper())
    logger.propagate = False
    if not any(isinstance(each, _StandardError) for each in logger.handlers):
        handler = _StandardError()
        handler.setFormatter(JsonLine())
        logger.addHandler(handler)
