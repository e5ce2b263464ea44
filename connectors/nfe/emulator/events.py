"""Events of an issued invoice: cancellation and letter of correction. Extensions [A 2.20].

The tax authority answers at once, or later if a switch is set so. A refusal sets its own status, and the invoice stays
valid.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Response
from connectors.nfe.emulator import tax_authority
from connectors.nfe.emulator.checks import Checks
from connectors.nfe.emulator.invoices import KINDS, Invoices
from connectors.nfe.emulator.state import EmulatorState

_ISSUED: Final = frozenset({"succeeded", "corrected", "correction_rejected", "cancel_rejected"})
_DAY_S: Final = 86_400.0
_CANCELLED_WITHIN_S: Final = {"nfe": _DAY_S, "nfce": 1_800.0}
_CORRECTED_WITHIN_S: Final = 30 * _DAY_S
_MOST_CORRECTIONS: Final = 20


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return the handlers by the operation's name: both kinds can be cancelled, only an NF-e can be corrected."""
    events = Events(world)
    cancels = {f"{kind}.cancel": partial(events.cancel, kind) for kind in KINDS}
    return {**cancels, "nfe.correct": partial(events.correct, "nfe")}


class Events:
    def __init__(self, world: EmulatorState) -> None:
        self._world = world
        self._checks, self._invoices = Checks(world), Invoices(world)

    def cancel(self, kind: str, call: Call) -> Response:
        row = self._require_issued(kind, call, "cancel")
        is_late = self._world.now() - row["decided_at"] > _CANCELLED_WITHIN_S[kind]
        return self._done(kind, row, "cancel_rejected" if is_late else "cancelled")

    def correct(self, kind: str, call: Call) -> Response:
        row = self._require_issued(kind, call, "correction")
        is_late = self._world.now() - row["decided_at"] > _CORRECTED_WITHIN_S
        if is_late or row["corrections"] >= _MOST_CORRECTIONS:
            return self._done(kind, row, "correction_rejected")
        self._world.store.run("UPDATE product_invoices SET corrections = corrections + 1 WHERE id = ?", (row["id"],))
        return self._done(kind, row, "corrected")

    def _require_issued(self, kind: str, call: Call, table: str) -> Json:
        """Return the invoice in the path. Refuse an unissued invoice, or an incomplete request."""
        self._world.require_extensions()
        row = self._invoices.found(kind, call)
        _, errors = self._checks.part(table, call.body if isinstance(call.body, dict) else {}, key=kind)
        if row["status"] not in _ISSUED:
            errors["status"] = ["a nota não está autorizada"]
        if errors:
            raise self._world.invalid(errors)
        return row

    def _done(self, kind: str, row: Json, becomes: str) -> Response:
        status = becomes if self._world.switches["product_events"] == "at_once" else "processing"
        tax_authority.change_status(self._world, row["id"], row["status"], status, self._world.now())
        if status != becomes:
            self._world.store.run("UPDATE product_invoices SET event = ? WHERE id = ?", (becomes, row["id"]))
            tax_authority.begin(self._world, row["id"])
        answer = {kind: {"id": row["id"], "status": status}}
        return Response(200, answer, subject=f"{kind} {row['serie']}/{row['number']}")
