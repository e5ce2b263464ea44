"""What is posted to have a product invoice issued, typed: each group of document 001 as a model with its sizes.

The line composes its own content (`domain/products`); these models are for whoever has a richer invoice to post. Names
are the document's, in Portuguese. A model refuses at once what the provider would refuse, and shows none of its values
where it becomes text.
"""
