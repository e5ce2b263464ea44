"""Which column is which field: a layout is data, and the header row is found below whatever stands above it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Aliases per field, already normalised; `required` fields must have a column."""

    name: str
    aliases: Mapping[str, str]
    required: tuple[str, ...]
    ignored: frozenset[str]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """From the content of `configs/layouts/<name>.toml`."""
        raise NotImplementedError
