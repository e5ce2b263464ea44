"""Models that show nothing personal where they become text: in a log line, an error or a traceback."""

from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class RedactedModel(BaseModel):
    """A model whose text shows its name and the fields of `shown` only; a refused value is not quoted in its error."""

    shown: ClassVar[frozenset[str]] = frozenset()

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        return ((name, getattr(self, name)) for name in type(self).model_fields if name in self.shown)


class AnswerModel(RedactedModel):
    """A resource as a service answers it: unknown keys are kept."""

    model_config = ConfigDict(extra="allow")


class RequestModel(RedactedModel):
    """A body for a service, by the document's names; a name that the document lacks is refused."""

    model_config = ConfigDict(extra="forbid")
