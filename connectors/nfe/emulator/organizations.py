"""Organizations that issue, and their certificates; without a certificate they cannot issue."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.documents import bare, is_cnpj
from connectors.emulation.field_tables import check
from connectors.emulation.messages import Call, Json, Response
from connectors.nfe.emulator.checks import Checks
from connectors.nfe.emulator.state import EmulatorState

REGIMES: Final[Mapping[int, str]] = {
    1: "Simples Nacional",
    2: "Simples Nacional - excesso de sublimite da receita bruta",
    3: "Regime Normal",
}
_EXAMPLE_OF: Final = {"cnpj": "document", "razao_social": "company_name", "nome_fantasia": "name"}
_EXEMPT: Final = "ISENTO"
_MASK: Final = "********"
_VALID_DAYS: Final = 365


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    organizations = Organizations(world)
    return {
        "organizations.list": organizations.find,
        "organizations.create": organizations.create,
        "certificates.upload": organizations.upload,
    }


class Organizations:
    """Handlers about organizations. They accept the names in the document's table and in its examples [A 2.2]."""

    def __init__(self, world: EmulatorState) -> None:
        self._world, self._checks = world, Checks(world)

    def find(self, _: Call) -> Response:
        return Response(
            200, {"organizations": [self._answer_json(shop) for shop in self._world.organizations.find({})]}
        )

    def create(self, call: Call) -> Response:
        asked = self._checks.wrapped(call, "organization")
        asked = {**{ours: asked[theirs] for ours, theirs in _EXAMPLE_OF.items() if theirs in asked}, **asked}
        clean, errors = check(self._world.tables["organization"], asked)
        raw = asked.get("address")
        place, wrong = check(self._world.tables["organization_address"], raw if isinstance(raw, dict) else {})
        errors.update({f"address.{name}": messages for name, messages in wrong.items()})
        if "cnpj" in clean and not is_cnpj(bare(clean["cnpj"])):
            errors["cnpj"] = ["não é válido"]
        elif self._world.organizations.find({"cnpj": clean.get("cnpj")}):
            errors["cnpj"] = ["já está em uso"]
        state_inscription = clean.get("inscricao_estadual", _EXEMPT)
        if state_inscription != _EXEMPT and not state_inscription.isdigit():
            errors.setdefault("inscricao_estadual", ["não é válido"])
        if errors:
            raise self._world.invalid(errors)
        stored = self._world.organizations.add({**clean, "address": place})
        return Response(201, {"organization": self._answer_json(stored)}, subject=f"organization {stored['cnpj']}")

    def upload(self, call: Call) -> Response:
        shop = self._world.organizations.require(call.id)
        clean, errors = self._checks.part("certificate", call.body)
        try:
            is_file = bool(base64.b64decode(clean.get("file", ""), validate=True))
        except ValueError:  # not base64
            is_file = False
        if "file" not in errors and not is_file:
            errors["file"] = ["não é um certificado válido"]
        if errors:
            raise self._world.invalid(errors)
        expires = datetime.fromtimestamp(self._world.now(), UTC).date() + timedelta(days=_VALID_DAYS)
        certificate = {"pfx_certificate_file_name": "certificate.pfx", "expires_at": expires.isoformat()}
        self._world.organizations.replace({**shop, "certificate": certificate})
        shown = {**certificate, "password": _MASK, "pfx_certificate_url": f"/certificates/{shop['id']}.pfx"}
        return Response(201, {"certificate": shown}, subject=f"organization {shop['cnpj']}")

    def _answer_json(self, shop: Json) -> Json:
        names = self._world.switches["product_names"]
        table = {name: shop.get(name) for name in _EXAMPLE_OF} if names != "examples" else {}
        example = {theirs: shop.get(ours) for ours, theirs in _EXAMPLE_OF.items()} if names != "table" else {}
        return {
            "id": shop["id"],
            **table,
            **example,
            "email": shop.get("email"),
            "logo_file_name": None,
            "logo_url": "",
            "inscricao_municipal": shop.get("inscricao_municipal"),
            "inscricao_estadual": shop.get("inscricao_estadual"),
            "codigo_regime_tributario": REGIMES.get(shop.get("codigo_regime_tributario", 3)),
            "cnae": None,
            "address": self._shown_address(shop.get("address") or {}),
            "certificate": shop.get("certificate"),
        }

    def _shown_address(self, address: Json) -> Json:
        """Return every documented field; a zipcode keeps its zeros."""
        shown = {**self._world.tables["organization_address"].defaults(), **address}
        return shown | {"zipcode": None if shown["zipcode"] is None else f"{int(shown['zipcode']):08d}"}
