"""The stations of the line, one module each, in the order in which an invoice passes them.

1. `intake` archives a dropped file unchanged.
2. `read` turns its rows into typed rows or problems.
3. `resolve` finds emitter, customer and template of each row.
4. `assemble` composes canonical invoices, numbers them and plans batches.
5. `stage` posts the invoices of a batch and proves that the batch equals the ledger.
6. `approve` records a person's approval of exactly this content.
7. `release` sends an approved batch once.
8. `reconcile` reads a sent batch until every invoice of it is decided.
9. `report` writes the outcome workbook.

`resume` repeats 3 and 4 for a reading that stopped before its end. `tasks.entries` calls the stations for the flows.
"""
