"""`python -m connectors.sandbox`: serve until a stop signal; a usage mistake prints one line and exits with code 1."""

import argparse
import sqlite3
from pathlib import Path
from typing import Any

from connectors.sandbox.server import serve


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m connectors.sandbox", description="The providers' sandbox on a loopback socket."
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8787, help="0 takes a free one")
    parser.add_argument("--state", type=Path, help="SQLite file; without it everything is forgotten at the end")
    parser.add_argument("--port-file", type=Path, help="gets the port's number once connections are accepted")
    parser.add_argument("--switch", action="append", default=[], type=_switch, metavar="NAME=VALUE")
    asked = parser.parse_args()
    try:
        serve(
            host=asked.host,
            port=asked.port,
            state=asked.state,
            port_file=asked.port_file,
            switches=dict(asked.switch),
        )
    except sqlite3.OperationalError as wrong:
        parser.exit(1, f"{asked.state}: is another sandbox running on it? ({wrong})\n")
    except OSError as wrong:
        parser.exit(1, f"port {asked.port}: {wrong}\n")
    except ValueError as wrong:
        parser.exit(1, f"{wrong}\n")


def _switch(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        return name, value


if __name__ == "__main__":
    main()
