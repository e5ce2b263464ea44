"""Detached months: closed months past their term, whose texts, attempts and journal are in files and not in tables.

What prevents a second invoice stays in the tables for ever: the rows' sheets, row numbers and business keys, the
invoices' numbers, ids, digests, states and amounts, and the files' digests.
"""
