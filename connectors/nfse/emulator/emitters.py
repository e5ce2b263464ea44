"""Emitters and their series."""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.documents import bare, is_cnpj
from connectors.emulation.field_tables import Errors, check
from connectors.emulation.messages import Call, Json, Response, invalid, not_found
from connectors.emulation.pagination import envelope_page
from connectors.nfse.emulator.links import instance_links, link
from connectors.nfse.emulator.state import EmulatorState
from connectors.nfse.emulator.takers import check_state_inscription, phone_errors

_TAKEN: Final = "Já está cadastrado."
_ELSEWHERE: Final = "sandbox"
_PHONE_DIGITS: Final = range(10, 12)
_ONLY_IN_PRODUCTION: Final = ("city", "environment")


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    emitters = Emitters(world)
    return {
        "emitters.create": emitters.create,
        "emitters.list": emitters.find,
        "emitters.read": emitters.read,
        "emitters.replace": emitters.replace,
        "emitters.update": emitters.update,
        "emitters.delete": emitters.delete,
        "emitters.all_series": emitters.all_series,
        "emitters.series": emitters.series,
        "emitters.serie": emitters.serie,
    }


class Emitters:
    """The emitters, and the state of their series."""

    def __init__(self, world: EmulatorState) -> None:
        self._world, self._table = world, world.tables["emitter"]

    def shown(self, call: Call, emitter: Json) -> Json:
        """Return the resource, always without its certificate and password [A notes 1.24]."""
        hidden = {name for name, field in self._table.fields.items() if not field.answered}
        address = f"{call.base}/api/v1/emitters/{emitter['id']}"
        serie, number, _ = self._latest(emitter["id"], None) or (None, None, None)
        return {
            **self._table.defaults(),
            **{name: value for name, value in emitter.items() if name not in hidden},
            "latest_serie": serie or emitter.get("latest_serie"),
            "latest_number": number if number is not None else emitter.get("latest_number"),
            "certificate_filename": emitter.get("filename"),
            "_links": instance_links(address, [("GET", "series", "series")]),
        }

    def create(self, call: Call) -> Response:
        clean, errors = check(self._table, call.payload())
        errors.update(self._clashes(clean) | _odd_texts(clean))
        if errors:
            raise invalid(errors)
        made = with_place(self._world, {**self._table.defaults(), **clean})
        if not self._is_production:
            made["environment"] = _ELSEWHERE
        stored = self._world.emitters.add(made)
        location = {"Location": f"{call.base}/api/v1/emitters/{stored['id']}"}
        return Response(201, self.shown(call, stored), location)

    def find(self, call: Call) -> Response:
        table = self._world.emitters
        filters = table.asked(call, ("cnpj", "social_reason"))
        if "cnpj" in filters:
            filters["cnpj"] = bare(filters["cnpj"])
        return envelope_page(
            call,
            table.count(filters),
            lambda limit, offset: [self.shown(call, e) for e in table.find(filters, limit, offset)],
        )

    def read(self, call: Call) -> Response:
        return Response(200, self.shown(call, self._world.emitters.require(call.id)))

    def replace(self, call: Call) -> Response:
        return self._change(call, is_put=True)

    def update(self, call: Call) -> Response:
        return self._change(call, is_put=False)

    def _change(self, call: Call, *, is_put: bool) -> Response:
        """Change an emitter; ignore unchangeable fields in the request [A notes 1.20]."""
        emitter = self._world.emitters.require(call.id)
        movable = {name: value for name, value in call.payload().items() if not self._is_fixed(name)}
        kept = {
            name: emitter.get(name)
            for name, field in self._table.fields.items()
            if self._is_fixed(name) or not field.answered
        }
        payload = {**kept, **movable} if is_put else movable
        required = None if is_put else movable.keys() & set(self._table.required)
        clean, errors = check(self._table, payload, required=required)
        errors.update(self._clashes({"social_reason": clean.get("social_reason")}, besides=call.id) | _odd_texts(clean))
        if errors:
            raise invalid(errors)
        defaults = {name: value for name, value in self._table.defaults().items() if is_put or name in movable}
        changed = {**emitter, **defaults, **clean}
        if clean.get("city") not in (None, emitter.get("city")):
            changed["city_code"] = None
        return Response(200, self.shown(call, self._world.emitters.replace(with_place(self._world, changed))))

    def delete(self, call: Call) -> Response:
        """Delete an emitter. Refuse one with batches or notes, which would lose their owner [A notes 1.32]."""
        used = ("SELECT 1 FROM notes WHERE emitter_id = ?", "SELECT 1 FROM batches WHERE emitter_id = ?")
        if any(self._world.store.one(f"{sql} LIMIT 1", (call.id,)) for sql in used):
            raise invalid({"emitter": ["O emitente possui lotes ou notas e não pode ser excluído."]})
        self._world.emitters.drop(self._world.emitters.require(call.id)["id"])
        return Response(204)

    def all_series(self, call: Call) -> Response:
        return Response(
            200,
            [
                {"emitter_id": emitter["id"], **record}
                for emitter in self._world.emitters.find({})
                for record in self._records(call, emitter)
            ],
        )

    def series(self, call: Call) -> Response:
        return Response(200, self._records(call, self._world.emitters.require(call.id)))

    def serie(self, call: Call) -> Response:
        emitter = self._world.emitters.require(call.id)
        for record in self._records(call, emitter):
            if record["serie_number"]["serie"] == call.rest[-1]:
                return Response(200, record)
        raise not_found()

    def _records(self, call: Call, emitter: Json) -> list[Json]:
        names = {
            row[0]
            for row in self._world.store.all(
                "SELECT DISTINCT serie FROM notes WHERE emitter_id = ? AND serie IS NOT NULL", (emitter["id"],)
            )
        }
        if emitter.get("latest_serie"):
            names.add(emitter["latest_serie"])
        records = []
        for name in sorted(names):
            _, number, note_id = self._latest(emitter["id"], name) or (name, None, None)
            elsewhere = emitter.get("latest_number") if emitter.get("latest_serie") == name else None
            if number is None and elsewhere is None:
                continue
            records.append(_serie_record(call, name, max(number or 0, elsewhere or 0), note_id))
        return records

    def _latest(self, emitter_id: int, serie: str | None) -> tuple[str, int, int | None] | None:
        """Return a serie, its latest number and the id of its latest note that is not deleted; None without a note.

        `serie` None means the serie of the emitter's latest note. The switch `latest_counts` selects which notes count.
        """
        issued = " AND sent_at IS NOT NULL" if self._world.switches["latest_counts"] == "issued" else ""
        which, values = (" AND serie = ?", [emitter_id, serie]) if serie is not None else ("", [emitter_id])
        order = "number DESC" if serie is not None else "id DESC"
        row = self._world.store.one(
            f"SELECT serie, number FROM notes WHERE emitter_id = ?{which}{issued}"  # noqa: S608
            f" AND number IS NOT NULL ORDER BY {order} LIMIT 1",
            values,
        )
        if row is None:
            return None
        living = self._world.store.one(
            f"SELECT id FROM notes WHERE emitter_id = ? AND serie = ?{issued} AND number IS NOT NULL"  # noqa: S608
            " AND deleted_at IS NULL ORDER BY number DESC, id DESC LIMIT 1",
            (emitter_id, row[0]),
        )
        return row[0], row[1], living[0] if living else None

    def _is_fixed(self, name: str) -> bool:
        field = self._table.fields.get(name)
        is_elsewhere = name in _ONLY_IN_PRODUCTION and not self._is_production
        return is_elsewhere or (field is not None and field.fixed)

    @property
    def _is_production(self) -> bool:
        return bool(self._world.switches["production"] == "yes")

    def _clashes(self, clean: Json, besides: int | None = None) -> Errors:
        errors: Errors = {}
        if clean.get("cnpj"):
            clean["cnpj"] = bare(clean["cnpj"])
            if not is_cnpj(clean["cnpj"]):
                errors["cnpj"] = ["CNPJ inválido."]
        for name in ("cnpj", "social_reason"):
            if clean.get(name) and any(e["id"] != besides for e in self._world.emitters.find({name: clean[name]})):
                errors[name] = [_TAKEN]
        return errors


def _odd_texts(clean: Json) -> Errors:
    """Return errors for a phone without area code and an invalid state registration [A notes 1.38]."""
    errors = phone_errors(clean, _PHONE_DIGITS)
    check_state_inscription(clean, errors)
    return errors


def with_place(world: EmulatorState, emitter: Json) -> Json:
    """Return an emitter with its read-only fields. The sandbox activates it at once [A notes 1.24]."""
    city = world.city_named(emitter.get("city", ""))
    phone = str(emitter.get("phone") or "")
    return {
        **emitter,
        "account_id": world.account.get("id"),
        "is_active": emitter.get("is_active", True),
        "city_code": emitter.get("city_code") or (city.code if city else None),
        "ddd": int(phone[:2]) if phone[:2].isascii() and phone[:2].isdigit() else None,
    }


def _serie_record(call: Call, serie: str, number: int, note_id: int | None) -> Json:
    latest = None
    if note_id is not None:
        latest = {"id": note_id, "_links": [link(f"{call.base}/api/v1/nfse/{note_id}", "GET", "self")]}
    return {"serie_number": {"serie": serie, "latest_number": number}, "latest_nfse": latest}
