"""NF-e numbers: an organization's series, and numbers that it declares unused for ever. Extensions."""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.field_tables import REQUIRED
from connectors.emulation.instants import at
from connectors.emulation.messages import Call, Json, Response
from connectors.nfe.emulator.checks import Checks
from connectors.nfe.emulator.state import EmulatorState

_DEFAULT_REASON: Final = "Erro na emissao da nota fiscal"
_USED: Final = (
    "SELECT 1 FROM product_invoices WHERE organization_id = ? AND kind = 'nfe' AND serie = ?"
    " AND number BETWEEN ? AND ? AND status NOT IN ('rejected', 'error', 'not_sent')"
)


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return the handlers about series and disabled numbers by the operation's name in `fields.toml`."""
    numbering = Numbering(world)
    return {
        "numerations.list": numbering.find,
        "numerations.create": numbering.create,
        "nfe.disable": numbering.disable,
    }


class Numbering:
    def __init__(self, world: EmulatorState) -> None:
        self._world, self._store = world, world.store
        self._checks = Checks(world)

    def find(self, call: Call) -> Response:
        self._world.require_extensions()
        self._world.organizations.require(call.id)
        rows = self._store.records(
            "SELECT * FROM product_numerations WHERE organization_id = ? ORDER BY id", (call.id,)
        )
        return Response(200, {"nfe_numeration": [self._answer_json(row) for row in rows]})

    def create(self, call: Call) -> Response:
        self._world.require_extensions()
        shop = self._world.organizations.require(call.id)
        clean, errors = self._checks.part("numeration", self._checks.wrapped(call, "nfe_numeration"))
        chosen = (shop["id"], clean.get("serie"))
        if self._store.one("SELECT 1 FROM product_numerations WHERE organization_id = ? AND serie = ?", chosen):
            errors["serie"] = ["já está em uso"]
        if errors:
            raise self._world.invalid(errors)
        made = self._store.run(
            "INSERT INTO product_numerations (organization_id, serie, last_number, created_at) VALUES (?, ?, ?, ?)",
            (*chosen, clean["last_number"], self._world.now()),
        )
        row = self._store.records("SELECT * FROM product_numerations WHERE id = ?", (made,))[0]
        return Response(201, {"nfe_numeration": self._answer_json(row)}, subject=f"serie {row['serie']}")

    def disable(self, call: Call) -> Response:
        """Disable one number, or an unused range; a rejected number may be disabled, too."""
        self._world.require_extensions()
        shop = self._world.organizations.require(call.id)
        clean, errors = self._checks.part("disable", call.body, key="nfe")
        first = clean.get("numero", clean.get("numero_inicial"))
        last = clean.get("numero", clean.get("numero_final"))
        if first is None or last is None:
            lacking = [name for name in ("numero_inicial", "numero_final") if clean.get(name) is None]
            errors.update({name: [REQUIRED] for name in (["numero"] if len(lacking) == 2 else lacking)})
        elif last < first:
            errors["numero_final"] = ["deve ser maior que o inicial"]
        elif self._store.one(_USED, (shop["id"], clean.get("serie"), first, last)):
            errors["numero"] = ["já foi utilizado em uma nota"]
        if errors:
            raise self._world.invalid(errors)
        made = self._store.run(
            "INSERT INTO product_disablements (organization_id, serie, first, last) VALUES (?, ?, ?, ?)",
            (shop["id"], clean["serie"], first, last),
        )
        data = {
            "uf": str(shop["address"]["city_code"])[:2],
            "cnpj_emitente": shop["cnpj"],
            "serie": str(clean["serie"]),
            "motivo": clean.get("motivo", _DEFAULT_REASON),
            "numero_inicial": first,
            "numero_final": last,
        }
        record = {"id": made, "status": "processing", "data": data}
        return Response(201, {"nfe_disablement": record}, subject=f"serie {clean['serie']} {first}-{last}")

    def _answer_json(self, row: Json) -> Json:
        used = self._store.one(
            "SELECT MAX(number) FROM product_invoices WHERE organization_id = ? AND kind = 'nfe' AND serie = ?",
            (row["organization_id"], row["serie"]),
        )[0]
        last = max(row["last_number"], used or 0)
        instant = at(row["created_at"])
        return {
            "id": row["id"],
            "serie": row["serie"],
            "last_number": last,
            "created_at": instant,
            "updated_at": instant,
        }
