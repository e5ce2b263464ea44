"""Product invoices, NF-e and NFC-e: posted as fields or signed; with extensions also read and listed."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.field_tables import Errors
from connectors.emulation.instants import BRASILIA, at
from connectors.emulation.messages import Call, Json, Response, not_found
from connectors.nfe.emulator import tax_authority
from connectors.nfe.emulator.checks import Checks
from connectors.nfe.emulator.invoice_documents import address_of
from connectors.nfe.emulator.state import EmulatorState

KINDS: Final = ("nfe", "nfce")
_PER_PAGE: Final = 10
_MOST_PER_PAGE: Final = 100
_KEY_LENGTH: Final = 44
_LONGEST_ID: Final = 18
_LONGEST_NUMBER: Final = 9
_SECRETS: Final = ("csc", "id_token")


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return the handlers for NF-e and NFC-e by the operation's name in `fields.toml`."""
    invoices = Invoices(world)
    verbs = (
        ("create", invoices.create),
        ("authorize", invoices.authorize),
        ("list", invoices.find),
        ("read", invoices.read),
    )
    return {f"{kind}.{verb}": partial(work, kind) for kind in KINDS for verb, work in verbs}


class Invoices:
    def __init__(self, world: EmulatorState) -> None:
        self._world, self._store = world, world.store
        self._checks = Checks(world)

    def create(self, kind: str, call: Call) -> Response:
        return self._create_invoice(kind, call, is_signed=False)

    def authorize(self, kind: str, call: Call) -> Response:
        """Accept an invoice that was signed elsewhere; documented for NFC-e, an extension for NF-e."""
        if kind == "nfe":
            self._world.require_extensions()
        return self._create_invoice(kind, call, is_signed=True)

    def _create_invoice(self, kind: str, call: Call, *, is_signed: bool) -> Response:
        shop = self._world.organizations.require(call.id)
        clean, errors = self._checks.invoice(kind, self._checks.wrapped(call, kind), is_signed=is_signed)
        self.refuse(shop, errors)
        row = self.add(kind, shop, clean)
        answer = {kind: {"id": row["id"], "status": row["status"]}}
        return Response(201, answer, subject=f"{kind} {row['serie']}/{row['number']}")

    def refuse(self, shop: Json, errors: Errors) -> None:
        """Refuse a request with errors, and every request of an organization without a certificate (422)."""
        if not shop.get("certificate"):
            errors["organization.certificate"] = ["não pode ficar em branco"]
        if errors:
            raise self._world.invalid(errors)

    def add(self, kind: str, shop: Json, clean: Json, *, is_unbatched: bool = False) -> Json:
        """Store an invoice and pass it to the tax authority. A reused number is a violation in any case."""
        general, now = clean["dados_gerais"], self._world.now()
        serie = general.get("serie", 1)
        number = general.get("nfe_numero") or self._next_number(shop["id"], kind, serie)
        self._flag_repeats(kind, shop, clean, (serie, number))
        storable = {name: value for name, value in general.items() if name not in _SECRETS}
        kept = {name: value for name, value in clean.items() if name != "xml_assinado"}
        kept["dados_gerais"] = {**storable, "serie": serie, "nfe_numero": number}
        invoice_id = self._store.run(
            "INSERT INTO product_invoices (organization_id, kind, serie, number, remote_id, status, body, digest,"
            " access_key, created_at, is_unbatched) VALUES (?, ?, ?, ?, ?, 'processing', ?, ?, ?, ?, ?)",
            (
                shop["id"], kind, serie, number, clean.get("remote_id"), json.dumps(kept, ensure_ascii=False),
                _digest(kept), tax_authority.access_key(shop, kind, serie, number, now), now, int(is_unbatched),
            ),
        )  # fmt: skip
        tax_authority.change_status(self._world, invoice_id, None, "processing", now)
        tax_authority.begin(self._world, invoice_id)
        return self._store.records("SELECT * FROM product_invoices WHERE id = ?", (invoice_id,))[0]

    def find(self, kind: str, call: Call) -> Response:
        """List invoices, newest first; ignore unknown filters, and all filters if a switch is set so.

        A page after the last one is an empty list: a client reads pages until then [A 2.29].
        """
        self._world.require_extensions()
        clauses = ["organization_id = ?", "kind = ?"]
        values: list[Any] = [call.id, kind]
        if self._world.switches["product_filter"] == "honour":
            for name in ("status", "remote_id"):
                if name in call.query:
                    clauses.append(f"{name} = ?")
                    values.append(call.query[name])
            for name, sign in (("starting_at", ">="), ("ending_at", "<=")):
                if name in call.query:
                    clauses.append(f"created_at {sign} ?")
                    values.append(self._instant(name, call.query[name]))
        limit, page = (
            min(_positive_number(call, "per_page", _PER_PAGE), _MOST_PER_PAGE),
            _positive_number(call, "page", 1),
        )
        rows = self._store.records(
            f"SELECT * FROM product_invoices WHERE {' AND '.join(clauses)} ORDER BY id DESC LIMIT ? OFFSET ?",  # noqa: S608
            [*values, limit, (page - 1) * limit],
        )
        return Response(200, {kind: [self._answer_json(call, row) for row in rows]})

    def read(self, kind: str, call: Call) -> Response:
        """Read an invoice by id, access key or `remote_id`."""
        self._world.require_extensions()
        tax_authority.count_read(self._world, self.found(kind, call)["id"])
        tax_authority.advance(self._world)
        return Response(200, {kind: self._answer_json(call, self.found(kind, call))})

    def found(self, kind: str, call: Call) -> Json:
        """Return the invoice in a path, the newest of several with one `remote_id`. Refuse an unknown one (404)."""
        key = call.rest[1]
        is_id = key.isascii() and key.isdigit() and len(key) <= _LONGEST_ID
        column = "id" if is_id else "access_key" if len(key) == _KEY_LENGTH and key.isdigit() else "remote_id"
        rows = self._store.records(
            f"SELECT * FROM product_invoices WHERE organization_id = ? AND kind = ? AND {column} = ?"  # noqa: S608
            " ORDER BY id DESC LIMIT 1",
            (call.id, kind, int(key) if is_id else key),
        )
        if not rows:
            raise not_found()
        return rows[0]

    def _instant(self, name: str, text: str) -> float:
        try:
            found = datetime.fromisoformat(text.replace("/", "-"))
            return (found if found.tzinfo else found.replace(tzinfo=BRASILIA)).timestamp()
        except (ValueError, OverflowError):
            raise self._world.invalid({name: ["não é uma data válida"]}) from None

    def _next_number(self, shop_id: int, kind: str, serie: int) -> int:
        latest = self._store.one(
            "SELECT MAX(number) FROM product_invoices WHERE organization_id = ? AND kind = ? AND serie = ?",
            (shop_id, kind, serie),
        )[0]
        registered = self._store.one(
            "SELECT MAX(last_number) FROM product_numerations WHERE organization_id = ? AND serie = ? AND ? = 'nfe'",
            (shop_id, serie, kind),
        )[0]
        return max(int(latest or 0), int(registered or 0)) + 1

    def _flag_repeats(self, kind: str, shop: Json, clean: Json, place: tuple[int, int]) -> None:
        """Record a violation when a number or a `remote_id` is posted again."""
        serie, number = place
        again = self._store.all(
            "SELECT id FROM product_invoices WHERE organization_id = ? AND kind = ? AND serie = ? AND number = ?",
            (shop["id"], kind, *place),
        )
        where = {"organization_id": shop["id"], "kind_of_invoice": kind, "serie": serie, "number": number}
        if again:
            self._store.violate(
                self._world.now(), "duplicate_product_number", others=[row[0] for row in again], **where
            )
        remote_id = clean.get("remote_id")
        if remote_id and self._store.one("SELECT 1 FROM product_invoices WHERE remote_id = ?", (remote_id,)):
            self._store.violate(self._world.now(), "duplicate_remote_id", remote_id=remote_id, **where)

    def _answer_json(self, call: Call, row: Json) -> Json:
        is_issued = row["protocol"] is not None
        errors = json.loads(row["errors"])
        emission: Json = {}
        if is_issued:
            emission = {
                "data_emissao": at(row["decided_at"]),
                "numero_protocolo": row["protocol"],
                "chave_acesso": row["access_key"],
            }
        elif errors:
            emission = {"erros": errors}
        document = f"{call.base}{address_of(row)}" if is_issued else ""
        return {
            "id": row["id"],
            "access_key": row["access_key"] if is_issued else None,
            "remote_id": row["remote_id"],
            "organization_id": row["organization_id"],
            "status": row["status"],
            "data": {**json.loads(row["body"]), "resposta_emissao": emission},
            "danfe_url": f"{document}.pdf" if document else "",
            "xml_url": f"{document}.xml" if document else "",
        }


def _positive_number(call: Call, name: str, default: int) -> int:
    """Return a positive number of the query, or `default` for anything else."""
    text = call.query.get(name, "")
    is_number = text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER and int(text) > 0
    return int(text) if is_number else default


def _digest(body: Json) -> str:
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
