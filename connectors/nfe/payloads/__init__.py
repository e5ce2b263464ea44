"""What is posted to have a product invoice issued, typed: each group of document 001 as a model with its sizes.

`connectors.nfe.issuing` fills these models from a canonical invoice; whoever has a richer invoice fills them directly.
Names are the document's, in Portuguese. A model refuses at once what the provider would refuse, and shows none of its
values where it becomes text.
"""
