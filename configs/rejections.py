"""The playbook of rejections: what a city's answer means, who acts, and whether the invoice may be sent again."""

import functools
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from configs.catalogue import MESSAGES
from domain.texts import folded

PLAYBOOK: Final = MESSAGES / "rejections.toml"
Acts = Literal["finance", "operator", "nobody"]
_KEYS: Final = frozenset({"name", "codes", "texts", "acts", "again"})


@dataclass(frozen=True, slots=True)
class RejectionKind:
    """One kind of rejection. Its sentences are the catalogue's `rejection.<name>`.

    An error is of this kind if it has one of `codes`, or if its description contains one of `texts` (lower case,
    without accents). `acts` is who has to act. `again`: the invoice may be sent again unchanged.
    """

    name: str
    codes: frozenset[str]
    texts: tuple[str, ...]
    acts: Acts
    again: bool

    def fits(self, error: Mapping[str, Any]) -> bool:
        """Return whether an invoice's error (`code`, `description`) is of this kind."""
        if str(error.get("code") or "").strip().upper() in self.codes:
            return True
        description = folded(str(error.get("description") or ""))
        return any(text in description for text in self.texts)


@functools.cache
def rejection_kinds() -> tuple[RejectionKind, ...]:
    """Return every kind of rejection, in the order in which they are tried. Raises `ValueError` for a bad entry."""
    with PLAYBOOK.open("rb") as file:
        return tuple(_kind(raw) for raw in tomllib.load(file)["rejections"])


def rejection_kind_of(error: Mapping[str, Any]) -> RejectionKind | None:
    """Return the kind of an invoice's error, or None if the playbook does not know it."""
    return next((kind for kind in rejection_kinds() if kind.fits(error)), None)


def may_go_again(errors: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a rejected invoice may be sent again unchanged: the playbook allows it for each of its errors."""
    kinds = [rejection_kind_of(error) for error in errors]
    return bool(kinds) and all(kind is not None and kind.again for kind in kinds)


def _kind(raw: Mapping[str, Any]) -> RejectionKind:
    if set(raw) - _KEYS or raw["acts"] not in get_args(Acts) or not (raw.get("codes") or raw.get("texts")):
        raise ValueError(f"not a rejection: {raw}")
    codes = frozenset(code.upper() for code in raw.get("codes", ()))
    return RejectionKind(raw["name"], codes, tuple(raw.get("texts", ())), raw["acts"], again=raw["again"])
