"""Models without personal data in their text forms: a log line, an error or a traceback."""

from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class RedactedModel(BaseModel):
    """A model whose text has only its name and the `shown` fields; its errors do not quote refused values."""

    shown: ClassVar[frozenset[str]] = frozenset()

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, defer_build=True)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        return ((name, getattr(self, name)) for name in type(self).model_fields if name in self.shown)


class AnswerModel(RedactedModel):
    """A resource in an answer: unknown keys are kept."""

    model_config = ConfigDict(extra="allow")


class RequestModel(RedactedModel):
    """A request body with the document's names; other names are refused."""

    model_config = ConfigDict(extra="forbid")
