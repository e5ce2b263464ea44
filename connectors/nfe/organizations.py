"""Organizations, the issuers of product invoices, and their certificates (document 001, Organization)."""

import base64
import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field

from connectors.http.calls import require_same, understand
from connectors.http.redact import without_secrets
from connectors.http.redacted_model import AnswerModel, RedactedModel
from connectors.http.session import HttpSession
from connectors.http.wire_values import CityName, Integer, Text, bare_document, read_object

_PATH: Final = "/api/v1/organizations"
_MADE: Final = frozenset({200, 201})


class Address(AnswerModel):
    """The address fields that an invoice needs. `city_code` has seven digits."""

    city: CityName = None
    city_code: Text | None = None
    state: str | None = None


class Certificate(RedactedModel):
    """The provider's facts about a certificate, without its password. `expires_at` is an ISO day."""

    shown = frozenset({"expires_at"})

    pfx_certificate_file_name: str | None = None
    expires_at: str | None = None


class Organization(AnswerModel):
    """An organization, read by the field table's names or the examples' [A 2.2]. `tax_regime` is a digit or a label."""

    shown = frozenset({"id", "cnpj"})
    model_config = ConfigDict(populate_by_name=True)

    id: Integer
    cnpj: Annotated[str, BeforeValidator(bare_document)] = Field(validation_alias=AliasChoices("cnpj", "document"))
    legal_name: str = Field(validation_alias=AliasChoices("razao_social", "company_name"))
    trade_name: str | None = Field(None, validation_alias=AliasChoices("nome_fantasia", "name"))
    state_inscription: Text | None = Field(None, validation_alias="inscricao_estadual")
    tax_regime: Text | None = Field(None, validation_alias="codigo_regime_tributario")
    address: Address | None = None
    certificate: Certificate | None = None


class OrganizationCalls:
    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def all(self) -> list[Organization]:
        return understand(await self._session.read("GET", _PATH), _organizations)

    async def find(self, cnpj: str) -> list[Organization]:
        """Return organizations with exactly this CNPJ (canonical text)."""
        return [found for found in await self.all() if found.cnpj == bare_document(cnpj)]

    async def create(self, fields: Mapping[str, Any], *, not_after: float | None = None) -> Organization:
        """Register an organization, with the field table's names. It needs a certificate before it can issue.

        Raises `Doubtful` when the answer is about another organization.
        """
        body = json.dumps({"organization": dict(fields)}, ensure_ascii=False).encode()
        answer = await self._session.write("POST", _PATH, body, expect=_MADE, not_after=not_after)
        return understand(answer, lambda data: _made(data, fields.get("cnpj")))

    async def upload_certificate(self, organization_id: int, *, pfx: bytes, password: str) -> Certificate:
        """Store or replace the certificate.

        Sending the same one twice does no harm, but a lost answer is `Doubtful` anyway.
        """
        body = json.dumps({"password": password, "file": base64.b64encode(pfx).decode("ascii")}).encode()
        path = f"{_PATH}/{organization_id}/certificate"
        answer = await self._session.write("POST", path, body, expect=_MADE)
        return understand(answer, _certificate)


def _made(data: Any, cnpj: Any) -> Organization:
    made = _organization(read_object(data)["organization"])
    return require_same(made, "cnpj", asked=bare_document(cnpj), answered=made.cnpj)


def _certificate(data: Any) -> Certificate:
    return Certificate.model_validate(without_secrets(read_object(data)["certificate"]))


def _organizations(data: Any) -> list[Organization]:
    """Return the organizations. The list and its items may be bare or under a key: undocumented [A 2.10]."""
    if isinstance(data, dict):
        data = data["organizations"] if "organizations" in data else data["organization"]
    if not isinstance(data, list):
        raise TypeError("not a list of organizations")
    return [_organization(item.get("organization", item)) for item in map(read_object, data)]


def _organization(data: Any) -> Organization:
    # without the empty ones: of a field's two names, one may be empty
    content = {name: value for name, value in read_object(data).items() if value not in (None, "")}
    # elsewhere a key `certificate` holds a secret and is removed; here it holds facts about one
    return Organization.model_validate(
        {**without_secrets(content), "certificate": without_secrets(content.get("certificate"))}
    )
