"""Options of a reading: what an operator asks for, and its form in the ledger."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from typing import Any, Final, Literal

from domain.competence import format_competence, parse_competence
from domain.staff import Actor
from tasks.corrections.inherited_options import Given

_UNASKED: Final = frozenset({"inherited", "operator", "dropper", "because", "persons"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """The operator's options for a reading.

    `competence` (first of a month) and `emitter_cnpj` fill rows that lack them. `sender` selects a header mapping that
    somebody saved. `template` fills rows of a sheet without that column. `allow_repeats` bills a row although an equal
    row has a living invoice; `retry_rejected` bills again an unchanged row that the city rejected. `answer` applies to
    a file that resembles an earlier one: its changed rows are additional charges or corrections; `because` is the
    reason. `is_of_contracts`: we wrote the sheet from contracts, so the keys of its rows do not prove that a person
    means new charges. `dropper` is the machine's user who owned a file in the inbox. `persons` are the ids of enrolled
    people who proved that they dropped the file or gave its `answer`.
    """

    operator: str
    emitter_cnpj: str | None = None
    competence: date | None = None
    sheet: str | None = None
    sender: str | None = None
    allow_repeats: bool = False
    retry_rejected: bool = False
    answer: Literal["additional", "correction"] | None = None
    because: str | None = None
    template: str | None = None
    is_of_contracts: bool | None = None
    dropper: str | None = None
    persons: tuple[int, ...] = ()


def with_operator(options: ReadingOptions, actor: Actor) -> ReadingOptions:
    """Return the options with this person as operator and as one of `persons`."""
    known = set(options.persons) | ({actor.staff_id} if actor.staff_id is not None else set())
    return replace(options, operator=actor.signature, persons=tuple(sorted(known)))


def options_json(options: ReadingOptions, filled: Given | None = None) -> dict[str, Any]:
    """Return the options in the form of the ledger, with the names of those that the file gave (`inherited`)."""
    raw: dict[str, Any] = asdict(options)
    raw["competence"] = None if options.competence is None else format_competence(options.competence)
    return raw | ({"inherited": sorted(filled.texts())} if filled is not None and filled.texts() else {})


def options_of(raw: dict[str, Any]) -> ReadingOptions:
    """Return the options of the former request without inherited values: the new reading inherits them again."""
    known = {field.name for field in fields(ReadingOptions)} - set(raw.get("inherited", ()))
    values = {name: value for name, value in raw.items() if name in known}
    values["persons"] = tuple(values.get("persons") or ())
    values["competence"] = parse_competence(values["competence"]) if values.get("competence") else None
    return ReadingOptions(**values)


def choices_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options, without those about persons and reasons, to compare two requests."""
    return {name: value for name, value in options.items() if name not in _UNASKED and value is not None}


def requested_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reading's options without those that its file gave."""
    inherited = options.get("inherited", ())
    return {name: value for name, value in options.items() if name not in inherited}
