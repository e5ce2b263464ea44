"""Base classes of answers and requests; most have no personal data in their text forms: log, error, traceback."""

from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator


class RedactedModel(BaseModel):
    """A model whose text has only its name and the `shown` fields; its errors do not quote refused values."""

    shown: ClassVar[frozenset[str]] = frozenset()

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, defer_build=True)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        return ((name, getattr(self, name)) for name in type(self).model_fields if name in self.shown)


class SparseModel(BaseModel):
    """An answer in which an optional field may be null or an empty text: it counts as missing."""

    @model_validator(mode="before")
    @classmethod
    def _drop_blanks(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        blank = {name for name, value in data.items() if value is None or value == ""} & cls.model_fields.keys()
        missing = {name for name in blank if not cls.model_fields[name].is_required()}
        return {name: value for name, value in data.items() if name not in missing} if missing else data


class AnswerModel(RedactedModel, SparseModel):
    """A resource in an answer: unknown keys are kept."""

    model_config = ConfigDict(extra="allow")


class RequestModel(RedactedModel):
    """A request body with the document's names; other names are refused."""

    model_config = ConfigDict(extra="forbid")
