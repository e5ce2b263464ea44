"""The message catalogue: every text a person reads, by problem code and language.

An entry has `what` (the fact) and `mend` (what to do about it; may be empty). Words of screens and reports are entries
too (`status.accepted`, `heading.number`). Parameters stand in braces.
"""

import functools
import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from configs.layouts import usual_headers
from domain.problems import FaturistaError, Problem, Where
from domain.texts import repeatable

MESSAGES: Final = Path(__file__).parent / "messages"
LANGUAGES: Final = ("pt_BR", "en")
_STATES: Final = frozenset({"was", "becomes", "state"})


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """The two texts of one code in one language: the fact, and what to do about it (may be empty)."""

    what: str
    mend: str

    @property
    def params(self) -> frozenset[str]:
        """Return the names in braces in both texts."""
        texts = (self.what, self.mend)
        return frozenset(name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name)

    @property
    def word(self) -> str:
        """Return `what` as a template. A text without parameters is final: its doubled braces are single."""
        has_params = any(name for _, name, _, _ in string.Formatter().parse(self.what))
        return self.what if has_params else _fill_params(self.what, {})


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of one language, by code."""

    language: str
    entries: Mapping[str, CatalogueEntry]

    @classmethod
    def load(cls, language: str = "pt_BR") -> Self:
        """Return the catalogue of `pt_BR` or `en`. A process reads each file once."""
        return cls(language, _entries(language))

    def say(self, problem: Problem) -> str:
        """Return the whole sentence: place, what is wrong, how to correct it. An unknown code appears as it is."""
        place = self.place(problem.where)
        parts = (f"{place}:" if place else "", self.what(problem), self.advice(problem))
        return " ".join(part for part in parts if part)

    def explain(self, error: FaturistaError) -> list[str]:
        """Return one sentence for the error and one for each of its details."""
        return [self.say(each) for each in (error.problem, *error.details)]

    def what(self, problem: Problem) -> str:
        """Return what is wrong, without the place."""
        return self._sentence(problem.code, self._params(problem))

    def advice(self, problem: Problem) -> str:
        """Return what to do about it, or an empty text."""
        entry = self.entries.get(problem.code)
        return "" if entry is None else _fill_params(entry.mend, self._params(problem))

    def text(self, code: str, **params: Any) -> str:
        """Return the `what` of an entry: a word, a heading or a line of a screen."""
        return self._sentence(code, params)

    def _sentence(self, code: str, params: Mapping[str, Any]) -> str:
        # A parameter may have any name, even `code`.
        entry = self.entries.get(code)
        return f"[{code}]" if entry is None else _fill_params(entry.what, params)

    def words(self, family: str) -> dict[str, str]:
        """Return the `word` of every entry of a family by the rest of its code: `words("state.batch")["staged"]`."""
        start = f"{family}."
        return {code.removeprefix(start): self.entries[code].word for code in self.entries if code.startswith(start)}

    def place(self, where: Where) -> str:
        """Return the place in the workbook as a person sees it, or an empty text."""
        named = (("place.sheet", where.sheet), ("place.row", where.row), ("place.column", where.column))
        return ", ".join(self.text(code, value=str(value)) for code, value in named if value is not None)

    def field(self, name: str | None) -> str:
        """Return the operator's word for a field name: the catalogue's, else the usual header of its column."""
        if name is None:
            return ""
        entry = self.entries.get(f"field.{name}")
        return usual_headers().get(name, name) if entry is None else entry.word

    def _params(self, problem: Problem) -> dict[str, Any]:
        """Return the problem's parameters, with names of fields and states replaced by the operator's words.

        `field` and `fields` ("city, name") hold fields; `was`, `becomes` and `state` hold states; `entity`, `colour`
        and `disk` hold names of their families; `origin` names the place of the words that forbid billing. `held` is
        the code of the problem that held the row, and the other parameters belong to that problem. A message may quote
        the cell: never repeat a secret that somebody pasted there.
        """
        params: dict[str, Any] = {"field": problem.field, **problem.params}
        if problem.field is not None:
            params |= {name: repeatable(value) for name, value in problem.params.items() if isinstance(value, str)}
        params["field"] = self.field(params["field"])
        if "fields" in params:
            params["fields"] = ", ".join(self.field(name) for name in str(params["fields"]).split(", "))
        for name in _STATES & params.keys():
            params[name] = self._state(str(params[name]))
        if "colour" in params:
            params["colour"] = self.text(f"colour.{params['colour']}")
        if "disk" in params:
            params["disk"] = self.text(f"disk.{params['disk']}")
        if "origin" in params:
            params["origin"] = self._sentence(f"origin.{params['origin']}", params)
        if "held" in params:
            params["held"] = self._sentence(str(params["held"]), params)
        if "entity" in params:
            params["entity"] = self.text(f"entity.{params['entity']}")
        return params

    def _state(self, name: str) -> str:
        known = (f"state.invoice.{name}", f"state.batch.{name}", f"state.row.{name}")
        return next((self.entries[code].word for code in known if code in self.entries), name)


def _fill_params(text: str, params: Mapping[str, Any]) -> str:
    # A missing parameter must not hide the sentence from the person who needs it.
    return _FORMATTER.vformat(text, (), _Lenient(params))


class _Formatter(string.Formatter):
    """Write `{count:row|rows}` as the word for this count, or for this list of numbers."""

    def format_field(self, value: Any, format_spec: str) -> str:
        one, bar, more = format_spec.partition("|")
        if not bar:
            return str(super().format_field(value, format_spec))
        is_one = value.isdecimal() if isinstance(value, str) else value == 1
        return one if is_one else more


_FORMATTER: Final = _Formatter()


class _Lenient(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


@functools.cache
def word_by_language(code: str) -> Mapping[str, str]:
    """Return the `word` of one entry by language."""
    return {language: _entries(language)[code].word for language in LANGUAGES}


class _Entries(Mapping[str, CatalogueEntry]):
    """The entries of one language's file. Each is parsed at its first use: a command shows few of two thousand."""

    def __init__(self, text: str) -> None:
        parts = (part.partition("]\n") for part in f"\n{text}".split("\n[")[1:])
        self._texts = {code: text for code, _, text in parts}
        self._parsed: dict[str, CatalogueEntry] = {}

    def __getitem__(self, code: str) -> CatalogueEntry:
        found = self._parsed.get(code)
        if found is None:
            found = self._parsed[code] = CatalogueEntry(**{"mend": "", **tomllib.loads(self._texts[code])})
        return found

    def __contains__(self, code: object) -> bool:
        return code in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


@functools.cache
def _entries(language: str) -> Mapping[str, CatalogueEntry]:
    return _Entries((MESSAGES / f"{language}.toml").read_text(encoding="utf-8"))
