"""Detached months: closed months past their term, whose texts, requests and journal are in files and not in tables.

The keys stay in the tables for ever: the rows' places and business keys, the invoices' numbers, ids, digests, states
and amounts, the files' digests. With these keys the ledger refuses to bill a charge twice.
"""
