"""Typed requests for product invoices: each group of document 001 as a model with its sizes.

`connectors.nfe.issuing` fills these models from a canonical invoice; a caller with a richer invoice fills them
directly. Names are the document's, in Portuguese. A model refuses at once what the provider would refuse, and its text
forms show no values.
"""
