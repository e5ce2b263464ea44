"""The account this ledger belongs to; emitters, templates and takers as last seen at the provider."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa


@dataclass(frozen=True, slots=True)
class EmitterRecord:
    id: int
    remote_id: int
    cnpj: str
    name: str
    city_code: str
    is_active: bool
    looked_at: datetime


@dataclass(frozen=True, slots=True)
class TemplateRecord:
    """`body` is the provider's answer."""

    id: int
    emitter_id: int
    name: str
    remote_id: int
    body: dict[str, Any]
    looked_at: datetime


@dataclass(frozen=True, slots=True)
class TakerRecord:
    """`document` is canonical text; `body` the provider's answer."""

    id: int
    document: str
    remote_id: int
    name: str
    body: dict[str, Any]
    is_complete: bool
    looked_at: datetime


def bind_account(conn: sa.Connection, *, uuid: str, name: str) -> bool:
    """Remember the provider's account at first use (True). Another account's provider is refused: `FaturistaError`
    (`ledger.other_account`)."""
    raise NotImplementedError


def account_of(conn: sa.Connection) -> tuple[str, str] | None:
    """(uuid, name) of the account this ledger is bound to."""
    raise NotImplementedError


def upsert_emitter(
    conn: sa.Connection, *, remote_id: int, cnpj: str, name: str, city_code: str, is_active: bool
) -> int:
    """The emitter as just seen; its ledger id."""
    raise NotImplementedError


def upsert_template(conn: sa.Connection, *, emitter_id: int, name: str, remote_id: int, body: Mapping[str, Any]) -> int:
    """The template as just seen; its ledger id."""
    raise NotImplementedError


def upsert_taker(
    conn: sa.Connection, *, document: str, remote_id: int, name: str, body: Mapping[str, Any], is_complete: bool
) -> int:
    """The taker as just seen; its ledger id."""
    raise NotImplementedError


def emitter_by_cnpj(conn: sa.Connection, cnpj: str) -> EmitterRecord | None: ...


def emitter_of(conn: sa.Connection, emitter_id: int) -> EmitterRecord:
    """Raises `LookupError`."""
    raise NotImplementedError


def emitters_all(conn: sa.Connection) -> list[EmitterRecord]: ...


def takers_by_documents(conn: sa.Connection, documents: Collection[str]) -> dict[str, TakerRecord]:
    """The takers we know, by document."""
    raise NotImplementedError


def templates_by_ids(conn: sa.Connection, ids: Collection[int]) -> dict[int, TemplateRecord]: ...


def takers_by_ids(conn: sa.Connection, ids: Collection[int]) -> dict[int, TakerRecord]: ...


def template_of(conn: sa.Connection, emitter_id: int, name: str) -> TemplateRecord | None: ...
