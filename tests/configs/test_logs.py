"""Log lines: JSON, with the ids of their work, and without the text of an error."""

import errno
import io
import json
import logging
from typing import Any

from configs.logs import JsonLine, configure_logs
from domain.log_context import bind_ids


def lines(capfd) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capfd.readouterr().err.splitlines()]


def test_a_line_has_its_ids_and_figures_and_no_text_of_an_error(capfd):
    configure_logs("info")
    configure_logs("info")
    log = logging.getLogger("faturista.test")
    try:
        with bind_ids(run="r-1"), bind_ids(batch=7):
            log.info("staged", extra={"figures": {"created": 3}})
            log.debug("not written")
        try:
            int("990.000.001-91")
        except ValueError:
            log.exception("stopped")
    finally:
        logging.getLogger("faturista").propagate = True
    first, second = lines(capfd)
    wanted = {"level": "info", "logger": "faturista.test", "message": "staged", "run": "r-1", "batch": 7, "created": 3}
    assert first == {**wanted, "at": first["at"]}
    assert first["at"].endswith("+00:00")
    assert (second["error"], "batch" in second) == ("ValueError", False)
    assert "test_a_line" in second["raised_in"][0]
    assert "990" not in json.dumps(second)


class FullDisk(io.StringIO):
    """A stream into a file on a full disk."""

    def write(self, _text: str) -> int:
        raise OSError(errno.ENOSPC, "no room")


def test_a_full_disk_under_the_log_stops_no_work(monkeypatch):
    configure_logs("info")
    try:
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr("sys.stderr", FullDisk())
            logging.getLogger("faturista.test").info("staged")
    finally:
        logging.getLogger("faturista").propagate = True


def test_a_line_break_in_a_message_stays_within_its_line():
    record = logging.LogRecord("faturista", logging.INFO, "", 0, "one\ntwo", (), None)
    assert "\n" not in JsonLine().format(record)
