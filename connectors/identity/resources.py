"""Describe each kind of record at the identity service (document 002, Identity service)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Final

from connectors.http.redacted_model import RequestModel
from connectors.http.resource_fields import draft_of, field_names, values_of, write_of
from connectors.identity.accounts import Account, AccountChange
from connectors.identity.activations import Activation
from connectors.identity.client import IdentityClient
from connectors.identity.identities import Membership, NewAccount
from connectors.identity.members import Member, NewMember, NewRoles
from connectors.identity.shapes import ERASE_EXPIRATION, Erase
from domain.competence import BRASILIA
from domain.problems import InputError, Problem
from domain.resources import Draft, Path, Record, Resource, Values, Verb, Write

SYSTEM: Final = "identity"
ACTIVATIONS: Final = "activations"
"""Name of the same service with the order service's credentials."""
NEVER: Final = "never"
EXPIRATION: Final = "expiration"
_ALWAYS: Final = datetime(2000, 1, 1, tzinfo=UTC)
_OWNER: Final = "owner"
_FLAGS: Final = ("include_expired_accounts", "include_other_services")


def resources(client: IdentityClient) -> list[Resource]:
    """Return the resources that the application's credentials may use."""
    return [*_accounts(client), _memberships(client), _members(client)]


def activations(client: IdentityClient) -> list[Resource]:
    """Return the resource that needs the order service's credentials."""

    async def activate(_place: Path, asked: Draft) -> Record:
        model, expiration = asked.body
        return _account(await client.activations.activate(model, expiration=expiration))

    def checked(values: Values) -> Draft:
        draft = _with_expiration(Activation, values)
        model, _ = draft.body
        if model.global_account is None and model.external_id is None:
            raise InputError(Problem("record.no_account"))
        return draft

    fields = (*field_names(Activation), EXPIRATION)
    writes: Mapping[Verb, Write] = {"create": Write(fields, checked, activate, is_repeatable=True)}
    return [Resource(kind="activation", system=ACTIVATIONS, parts=("activation",), writes=writes)]


def _accounts(client: IdentityClient) -> list[Resource]:
    calls = client.accounts

    async def find(_place: Path, filters: Values) -> Sequence[Record]:
        since = _list_begin(filters.get("updated_since"))
        return [_account(each) async for page in calls.all(updated_since=since) for each in page.items]

    async def read(path: Path) -> Record:
        return _account(await calls.read(path[0]))

    async def change(path: Path, asked: Draft) -> Record:
        model, expiration = asked.body
        return _account(await calls.change(path[0], plan_slug=model.plan_slug, expiration=expiration))

    async def history(path: Path, _filters: Values) -> Sequence[Record]:
        found = await calls.history(path[0] if path else "")
        return [
            Record((*path, str(place)), each.plan_slug, values_of(each.model_dump()))
            for place, each in enumerate(found, start=1)
        ]

    fields = (*field_names(AccountChange), EXPIRATION)
    return [
        Resource(
            kind="account",
            system=SYSTEM,
            parts=("account",),
            columns=("account_data.name", "plan_slug", EXPIRATION, "updated_at"),
            filters=("updated_since",),
            all=find,
            read=read,
            writes={"change": Write(fields, lambda values: _with_expiration(AccountChange, values), change)},
        ),
        Resource(
            kind="account-history",
            system=SYSTEM,
            parts=("account", "entry"),
            columns=("created_at", "plan_slug", EXPIRATION, "created_by"),
            all=history,
        ),
    ]


def _memberships(client: IdentityClient) -> Resource:
    """Return the `user-account` resource: list a user's accounts, and add a new or existing account."""

    async def find(place: Path, filters: Values) -> Sequence[Record]:
        flags = {name: filters.get(name, "false").casefold() in ("true", "1") for name in _FLAGS}
        found = await client.identities.accounts(
            place[0] if place else "",
            role=filters.get("role"),
            with_expired=flags["include_expired_accounts"],
            with_other_services=flags["include_other_services"],
        )
        return [_membership(place, each) for each in found]

    async def create(place: Path, asked: Draft) -> Record:
        model, expiration = asked.body
        made = await client.identities.add_account(
            place[0], plan_slug=model.plan_slug, expiration=expiration, name=model.name, account=model.uuid
        )
        return _membership(place, made)

    def checked(values: Values) -> Draft:
        draft = _with_expiration(NewAccount, values)
        model, _ = draft.body
        if (model.name is None) == (model.uuid is None):
            raise InputError(Problem("record.no_account"))
        return draft

    return Resource(
        kind="user-account",
        system=SYSTEM,
        parts=("user", "account"),
        columns=("name", "plan_slug", EXPIRATION, "roles"),
        filters=("role", *_FLAGS),
        key=(("name",), ("uuid",)),
        all=find,
        writes={"create": Write((*field_names(NewAccount), EXPIRATION), checked, create)},
    )


def _members(client: IdentityClient) -> Resource:
    calls = client.members

    async def find(place: Path, _filters: Values) -> Sequence[Record]:
        return [_member(place, each) for each in await calls.of_account(place[0] if place else "")]

    async def read(path: Path) -> Record:
        return _member(path[:1], await calls.read(path[0], path[1]))

    async def create(place: Path, asked: Draft) -> Record:
        return _member(place, await calls.add(place[0], asked.body.identity, roles=asked.body.roles))

    async def change(path: Path, asked: Draft) -> Record:
        return _member(path[:1], await calls.change(path[0], path[1], roles=asked.body.roles))

    async def remove(path: Path, _asked: Draft) -> None:
        await calls.remove(path[0], path[1])

    async def protects(verb: Verb, record: Record, values: Values) -> Problem | None:
        if not _is_owner(record.values):
            return None
        if verb == "remove":
            return Problem("record.owner")
        if _is_owner(values):
            return None
        others = [
            each for each in await find(record.path[:1], {}) if each.path != record.path and _is_owner(each.values)
        ]
        return None if others else Problem("record.only_owner")

    return Resource(
        kind="member",
        system=SYSTEM,
        parts=("account", "user"),
        columns=("identity", "roles"),
        key=(("identity",),),
        all=find,
        read=read,
        protects=protects,
        writes={
            "create": write_of(NewMember, create),
            "change": write_of(NewRoles, change),
            "remove": write_of(None, remove),
        },
    )


def _is_owner(values: Values) -> bool:
    return _OWNER in values.get("roles", "").split(", ")


def _with_expiration(model: type[RequestModel], values: Values) -> Draft:
    """Return the request that the values describe, with its expiration (a date or `never`).

    Raises `InputError` without one, because the service erases an expiration that a request omits.
    """
    text = values.get(EXPIRATION, "").strip()
    draft = draft_of(model, {name: value for name, value in values.items() if name != EXPIRATION})
    ends: date | Erase = ERASE_EXPIRATION
    if text.casefold() != NEVER:
        try:
            ends = date.fromisoformat(text)
        except ValueError:
            raise InputError(Problem("record.expiration", params={"text": text[:40]})) from None
    shown = NEVER if isinstance(ends, Erase) else ends.isoformat()
    return Draft((draft.body, ends), {**draft.values, EXPIRATION: shown})


def _list_begin(text: str | None) -> datetime:
    """Return the instant since which listed accounts have changed. None lists every account."""
    if text is None:
        return _ALWAYS
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(Problem("record.expiration", params={"text": text[:40]})) from None
    return found if found.tzinfo else found.replace(tzinfo=BRASILIA)


def _account(found: Account) -> Record:
    values = values_of(found.model_dump(exclude={"members_data"})) | {EXPIRATION: _ends(found.expiration)}
    return Record((found.account_data.uuid,), found.account_data.name, values)


def _membership(place: Path, found: Membership) -> Record:
    values = values_of(found.model_dump()) | {
        EXPIRATION: _ends(found.expiration),
        "name": found.account_data.name,
        "uuid": found.account_data.uuid,
    }
    return Record((*place, found.account_data.uuid), found.account_data.name, values)


def _member(place: Path, found: Member) -> Record:
    values = values_of(found.model_dump(exclude={"identity"})) | {"identity": found.identity.uuid}
    values |= {f"identity.{name}": text for name, text in values_of(found.identity.model_dump()).items()}
    return Record((*place, found.identity.uuid), found.identity.email or "", values)


def _ends(expiration: datetime | None) -> str:
    return NEVER if expiration is None else expiration.astimezone(BRASILIA).date().isoformat()
