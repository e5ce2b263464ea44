"""Flow: turn a dropped services sheet into staged batches that wait for a person's approval."""

from typing import Final

from flows.billing import BillOrder
from tasks.runtime import SERVICES

bill_services: Final = BillOrder(SERVICES)
