"""Acts of the seller's staff: pay, correct or lose an invoice, change an order.

The acts: `{do: add_sale, plan, like, fields}` (a new invoice: a copy of number `like` with these fields), `{do:
change_sale, plan, number, fields}`, `{do: drop_sale, plan, number}`, `{do: change_order, number, fields}` and `{do:
redeem, number}` (an invoice gets the adjustment with that number).
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from connectors.emulation.messages import Json
from connectors.orders.emulator.state import Sales

ACTS: Final = ("add_sale", "change_sale", "drop_sale", "change_order", "redeem")


class Clerk:
    """Performs the acts."""

    def __init__(self, sales: Sales) -> None:
        self._sales = sales
        self._acts: Mapping[str, Callable[[Json], None]] = {
            "add_sale": self._add,
            "change_sale": lambda asked: sales.change_invoice(asked["plan"], asked["number"], asked["fields"]),
            "drop_sale": lambda asked: sales.drop_invoice(asked["plan"], asked["number"]),
            "redeem": lambda asked: sales.redeem(asked["number"]),
            "change_order": lambda asked: sales.change_order(asked["number"], asked["fields"]),
        }

    def act(self, asked: Any) -> Json:
        """Perform the act and return it. Raises `ValueError` with a sentence for an unknown act."""
        if not isinstance(asked, dict) or asked.get("do") not in self._acts:
            raise ValueError(f"an act is one of {', '.join(ACTS)}")
        try:
            self._acts[asked["do"]](asked)
        except KeyError as lacking:
            raise ValueError(f"this act needs {lacking}") from None
        return asked

    def _add(self, asked: Json) -> None:
        row = self._sales.store.one(
            "SELECT body FROM sales_invoices WHERE plan = ? AND number = ?", (asked["plan"], asked["like"])
        )
        if row is None:
            raise ValueError(f"the plan {asked['plan']} has no invoice {asked['like']}")
        self._sales.add_invoices([{**json.loads(row[0]), **asked["fields"]}])
