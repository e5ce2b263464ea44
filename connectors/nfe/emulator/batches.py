"""Batches of product invoices: up to fifty at once, as fields or with their signed XML."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Response
from connectors.nfe.emulator.checks import Checks
from connectors.nfe.emulator.invoices import KINDS, Invoices
from connectors.nfe.emulator.state import EmulatorState

_AT_ONCE: Final = 1


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return the handlers for NF-e and NFC-e by the operation's name in `fields.toml`."""
    batches = Batches(world)
    return {
        f"{kind}_batch.{verb}": partial(work, kind)
        for kind in KINDS
        for verb, work in (("create", batches.create), ("authorize", batches.authorize))
    }


class Batches:
    def __init__(self, world: EmulatorState) -> None:
        self._world = world
        self._checks, self._invoices = Checks(world), Invoices(world)

    def create(self, kind: str, call: Call) -> Response:
        """Create a batch (an extension).

        The tax authority refuses a batch of one invoice unless it asks for an instant answer.
        """
        self._world.require_extensions()
        return self._create_batch(kind, call, is_signed=False)

    def authorize(self, kind: str, call: Call) -> Response:
        return self._create_batch(kind, call, is_signed=True)

    def _create_batch(self, kind: str, call: Call, *, is_signed: bool) -> Response:
        shop = self._world.organizations.require(call.id)
        wrapper = f"{kind}_batch"
        clean, errors = self._checks.batch(kind, self._checks.wrapped(call, wrapper), is_signed=is_signed)
        self._invoices.refuse(shop, errors)
        documents = clean[f"{kind}s"]
        batch_id = self._world.store.run(
            "INSERT INTO product_batches (kind, lote) VALUES (?, ?)", (kind, clean["lote"])
        )
        rows = []
        for document in documents:
            general = {"serie": clean["serie"], **document["dados_gerais"]}
            is_unbatched = len(documents) == 1 and clean["sincronicidade"] != _AT_ONCE
            rows.append(
                self._invoices.add(kind, shop, {**document, "dados_gerais": general}, is_unbatched=is_unbatched)
            )
        listed = [{"id": row["id"], "status": row["status"]} for row in rows]
        subject = f"{kind} batch of {len(rows)}"
        return Response(201, {wrapper: {"id": batch_id, "key": None, f"{kind}s": listed}}, subject=subject)
