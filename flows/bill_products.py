"""Flow: turn a dropped products sheet into batches of fixed invoices that wait for a person's approval."""

from typing import Final

from flows.billing import BillOrder
from tasks.runtime import PRODUCTS

bill_products: Final = BillOrder(PRODUCTS)
