"""Describe each kind of record at the product-invoice provider (document 001).

Another program signs the documents of the `signed-…` kinds. Posting one issues it, outside of the pipeline and its
numbers.
"""

import base64
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Final

import orjson
from pydantic import ValidationError

from connectors.http.field_faults import field_problems
from connectors.http.resource_fields import draft_of, field_names, number_of, values_of, write_of
from connectors.nfe.batches import BatchCalls, PostedBatch
from connectors.nfe.client import NfeClient
from connectors.nfe.fiscal import Correction, Disabling
from connectors.nfe.numerations import NewNumeration, Numeration
from connectors.nfe.organizations import Organization
from connectors.nfe.payloads.documents import Document, SignedNfce, SignedNfceBatch, SignedNfe, SignedNfeBatch
from connectors.nfe.payloads.field_types import City, Group, State, Whole, Words
from domain.problems import InputError, Problem
from domain.resources import Draft, Path, Record, Resource, Values, Write

SYSTEM: Final = "products"
_MOST_ERRORS: Final = 20
_HIDDEN: Final = frozenset({"xml_assinado", "csc", "id_token", "password", "file"})


class _Place(Group):
    address: Annotated[str, Words(60)]
    number: Annotated[str, Words(60)]
    complement: Annotated[str, Words(60)] | None = None
    district: Annotated[str, Words(60)]
    city: Annotated[str, Words(60)]
    city_code: City
    state: State
    zipcode: Annotated[int, Whole(digits=8, is_text=True)]
    phone: Annotated[int, Whole(digits=14)] | None = None


class OrganizationDraft(Group):
    """A new organization (document 001, Organization)."""

    cnpj: Annotated[str, Words(14)]
    razao_social: Annotated[str, Words(60)]
    nome_fantasia: Annotated[str, Words(60)] | None = None
    email: Annotated[str, Words(60)]
    inscricao_estadual: Annotated[str, Words(14)]
    inscricao_municipal: Annotated[str, Words(15)] | None = None
    codigo_regime_tributario: Annotated[int, Whole(allowed=(1, 2, 3))] | None = None
    address: _Place | None = None


class _CertificateFile(Group):
    certificate: Annotated[str, Words(is_free=True)]
    password: Annotated[str, Words(is_free=True)]


def resources(client: NfeClient) -> list[Resource]:
    """Return all resources of the provider, for an open client."""
    return [_organizations(client), _numerations(client), *_fiscal(client), *_signed_resources(client)]


def _organizations(client: NfeClient) -> Resource:
    calls = client.organizations

    async def find(_place: Path, _filters: Values) -> Sequence[Record]:
        return [_organization(each) for each in await calls.all()]

    async def read(path: Path) -> Record:
        wanted = number_of(path[-1], "organization")
        found = next((each for each in await calls.all() if each.id == wanted), None)
        if found is None:
            raise InputError(Problem("record.unknown", params={"kind": "organization", "path": path[-1]}))
        return _organization(found)

    async def create(_place: Path, asked: Draft) -> Record:
        return _organization(await calls.create(asked.body.content()))

    async def upload(path: Path, asked: Draft) -> Record:
        pfx, password = base64.b64decode(asked.body.certificate), asked.body.password
        uploaded = await calls.upload_certificate(number_of(path[-1], "organization"), pfx=pfx, password=password)
        return Record(path, "", {"certificate.expires_at": uploaded.expires_at or ""})

    return Resource(
        kind="organization",
        system=SYSTEM,
        parts=("organization",),
        columns=("cnpj", "legal_name", "certificate.expires_at"),
        key=(("cnpj",),),
        secrets=frozenset({"certificate", "password"}),
        all=find,
        read=read,
        writes={
            "create": write_of(OrganizationDraft, create),
            "change": write_of(_CertificateFile, upload, is_repeatable=True),
        },
    )


def _organization(found: Organization) -> Record:
    values = values_of(found.model_dump(exclude={"certificate"}))
    if found.certificate is not None and found.certificate.expires_at:
        values["certificate.expires_at"] = found.certificate.expires_at
    return Record((str(found.id),), found.legal_name, values)


def _numerations(client: NfeClient) -> Resource:
    """Return the `numeration` resource: series that the provider numbers. The pipeline numbers its own series."""

    async def find(place: Path, _filters: Values) -> Sequence[Record]:
        found = await client.numerations.of_organization(number_of(place[0], "organization"))
        return [_numeration(place, each) for each in found]

    async def create(place: Path, asked: Draft) -> Record:
        body = asked.body
        made = await client.numerations.create(
            number_of(place[0], "organization"), serie=body.serie, last_number=body.last_number
        )
        return _numeration(place, made)

    return Resource(
        kind="numeration",
        system=SYSTEM,
        parts=("organization", "numeration"),
        columns=("serie", "last_number"),
        key=(("serie",),),
        all=find,
        writes={"create": write_of(NewNumeration, create)},
    )


def _numeration(place: Path, found: Numeration) -> Record:
    return Record((*place, str(found.id)), str(found.serie), values_of(found.model_dump()))


def _fiscal(client: NfeClient) -> list[Resource]:
    """Return the resources `correction` (letters of correction) and `disabling` (of numbers). Neither has a list."""

    async def correct(place: Path, asked: Draft) -> Record:
        organization, key = number_of(place[0], "organization"), place[1]
        wanted = number_of(key, "invoice") if len(key) < _KEY_DIGITS else key
        status = await client.nfe.correct(organization, wanted, asked.body.correcao)
        return Record((*place, status), status, {"status": status})

    async def disable(place: Path, asked: Draft) -> Record:
        body = asked.body
        first, last = (body.numero, None) if body.numero is not None else (body.numero_inicial, body.numero_final)
        done = await client.nfe.disable(
            number_of(place[0], "organization"), body.serie, first, last, reason=body.motivo
        )
        named = str(done.id) if done.id is not None else f"{body.serie}/{first}"
        return Record((*place, named), done.status, {"status": done.status})

    def disabling(values: Values) -> Draft:
        draft = draft_of(Disabling, values)
        one, many = draft.body.numero, (draft.body.numero_inicial, draft.body.numero_final)
        if (one is None) == (None in many) or (one is None and many[1] < many[0]):
            raise InputError(Problem("record.range"))
        return draft

    return [
        Resource(
            kind="correction",
            system=SYSTEM,
            parts=("organization", "invoice", "correction"),
            writes={"create": write_of(Correction, correct, is_issuing=True)},
        ),
        Resource(
            kind="disabling",
            system=SYSTEM,
            parts=("organization", "disabling"),
            ours="number",
            writes={"create": Write(field_names(Disabling), disabling, disable, is_issuing=True)},
        ),
    ]


_KEY_DIGITS: Final = 44


def _signed_resources(client: NfeClient) -> list[Resource]:
    return [
        _signed_one("signed-nfe", SignedNfe, client.nfe.authorize),
        _signed_one("signed-nfce", SignedNfce, client.nfce.authorize),
        _signed_batch("signed-nfe-batch", SignedNfeBatch, client.nfe_batches),
        _signed_batch("signed-nfce-batch", SignedNfceBatch, client.nfce_batches),
    ]


def _signed_one(kind: str, model: type[Document], post: Callable[..., Awaitable[Any]]) -> Resource:
    async def create(place: Path, asked: Draft) -> Record:
        posted = await post(number_of(place[0], "organization"), asked.body)
        return Record((*place, str(posted.id)), posted.status, {"status": posted.status})

    return _document(kind, model, create)


def _signed_batch(kind: str, model: type[Document], calls: BatchCalls) -> Resource:
    async def create(place: Path, asked: Draft) -> Record:
        posted: PostedBatch = await calls.authorize(number_of(place[0], "organization"), asked.body)
        statuses = {str(each.id): each.status for each in posted.documents}
        return Record((*place, str(posted.id)), posted.key or "", statuses)

    return _document(kind, model, create)


def _document(kind: str, model: type[Document], create: Callable[[Path, Draft], Awaitable[Record]]) -> Resource:
    return Resource(
        kind=kind,
        system=SYSTEM,
        parts=("organization", kind),
        is_document=True,
        writes={"create": Write(("document",), lambda values: _document_draft(model, values), create, is_issuing=True)},
    )


def _document_draft(model: type[Document], values: Values) -> Draft:
    """Return the request of a whole document. Raises `InputError` if it is not one."""
    try:
        body = model.model_validate(orjson.loads(values["document"]))
    except (KeyError, orjson.JSONDecodeError):
        raise InputError(Problem("record.no_document")) from None
    except ValidationError as error:
        raise InputError(Problem("record.no_document"), *field_problems(error)[:_MOST_ERRORS]) from None
    return Draft(body, values_of(body.content(), hidden=_HIDDEN))
