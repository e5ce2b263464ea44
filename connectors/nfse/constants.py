"""Codes and their labels, as the two constants endpoints return them (document 000, Constants)."""

from collections.abc import Mapping, Sequence
from typing import Any

from connectors.http.calls import understand
from connectors.http.session import HttpSession
from connectors.http.wire_values import read_object

Constants = Mapping[str, Mapping[str, str]]
"""Constant name → code → label."""


async def read_constants(session: HttpSession, path: str, names: Sequence[str]) -> Constants:
    """Return the named constants, or all without a name."""
    return understand(await session.read("GET", path, _query(names)), _labels)


async def read_constants_html(session: HttpSession, path: str, names: Sequence[str]) -> Mapping[str, str]:
    """Return the constants as pieces of HTML by name; show them unchanged and never parse them [A 1.33]."""
    return understand(await session.read("GET", path, {**_query(names), "html": "true"}), _pieces)


def _query(names: Sequence[str]) -> dict[str, str | int]:
    return {"fields": ",".join(names)} if names else {}


def _labels(data: Any) -> Constants:
    return {
        name: {str(code): str(label) for code, label in read_object(values).items()}
        for name, values in read_object(data).items()
    }


def _pieces(data: Any) -> Mapping[str, str]:
    found = read_object(data)
    if not all(isinstance(piece, str) for piece in found.values()):
        raise TypeError("not pieces of HTML")
    return dict(found)
