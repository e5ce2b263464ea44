"""Acts of a person on the provider's website for product invoices, and the list of all stored invoices."""

import json
from typing import Final

from connectors.emulation.instants import at
from connectors.emulation.messages import Json, Response
from connectors.emulation.state_file import Window
from connectors.emulation.system import Listing, Overview, StatusCounts
from connectors.nfe.emulator import tax_authority
from connectors.nfe.emulator.invoices import Invoices
from connectors.nfe.emulator.state import EmulatorState

ACTS: Final = ("cancel_product", "add_product")
_SHOWN: Final = 8


class BackOffice:
    """Imitates a person on the provider's website (`act`), and lists the stored invoices (`record`)."""

    def __init__(self, world: EmulatorState) -> None:
        self._world, self._store = world, world.store
        self._invoices = Invoices(world)

    def act(self, asked: Json, answer: Response | None = None) -> Json:
        """Perform `{do: cancel_product | add_product, invoice_id, serie, number}`; a missing id comes from `answer`.

        Raises `ValueError` with a sentence for an invoice that does not exist or cannot be cancelled.
        """
        wanted = {**_ids(answer), **asked}
        if "invoice_id" not in wanted:
            raise ValueError("this act needs invoice_id")
        rows = self._store.records("SELECT * FROM product_invoices WHERE id = ?", (wanted["invoice_id"],))
        if not rows:
            raise ValueError("there is no such product invoice")
        return self._cancel(rows[0]) if wanted["do"] == "cancel_product" else self._add(rows[0], wanted)

    def record(self, window: Window) -> list[Json]:
        """Return the product invoices in the window, oldest first; amounts in `body` are the API's texts."""
        shops = {shop["id"]: shop["cnpj"] for shop in self._world.organizations.find({})}
        return [
            {
                "id": row["id"],
                "organization_id": row["organization_id"],
                "organization_cnpj": shops.get(row["organization_id"]),
                "kind": row["kind"],
                "serie": row["serie"],
                "number": row["number"],
                "remote_id": row["remote_id"],
                "status": row["status"],
                "access_key": row["access_key"],
                "errors": json.loads(row["errors"]),
                "body": json.loads(row["body"]),
                "digest": row["digest"],
                "posted_at": at(row["created_at"]),
            }
            for row in self._store.within("product_invoices", window)
        ]

    def overview(self) -> Overview:
        counts = self._store.all("SELECT kind, status, COUNT(*) FROM product_invoices GROUP BY kind, status")
        return Overview(
            tuple(
                StatusCounts(kind, {status: count for of, status, count in counts if of == kind})
                for kind in sorted({of for of, _, _ in counts})
            ),
            (
                Listing(
                    "organizations",
                    ("name", "cnpj", "city"),
                    [
                        (shop["razao_social"], shop["cnpj"], (shop.get("address") or {}).get("city"))
                        for shop in self._world.organizations.find({}, _SHOWN)
                    ],
                ),
            ),
        )

    def _cancel(self, row: Json) -> Json:
        if row["status"] != "succeeded":
            raise ValueError("only an issued invoice can be cancelled")
        tax_authority.change_status(self._world, row["id"], "succeeded", "cancelled", self._world.now())
        return {"invoice_id": row["id"]}

    def _add(self, row: Json, asked: Json) -> Json:
        """Store a copy of an invoice as another system would post it, with the number in `asked` or the next one."""
        body = json.loads(row["body"])
        general = {**body["dados_gerais"], "serie": asked.get("serie", row["serie"]), "nfe_numero": asked.get("number")}
        shop = self._world.organizations.get(row["organization_id"]) or {}
        copy = {name: value for name, value in body.items() if name != "remote_id"} | {"dados_gerais": general}
        return {"invoice_id": self._invoices.add(row["kind"], shop, copy)["id"]}


def _ids(answer: Response | None) -> Json:
    """Return the id of the invoice that an answered request was about."""
    body = answer.body if answer is not None and isinstance(answer.body, dict) else {}
    inner = body.get("nfe") or body.get("nfce")
    return {"invoice_id": inner["id"]} if isinstance(inner, dict) and "id" in inner else {}
