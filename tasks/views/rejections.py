"""Explain why an invoice was not accepted, as far as our catalogue has words for it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from configs.catalogue import Catalogue
from configs.rejections import rejection_kind_of
from connectors.ledger.invoices import InvoiceRecord
from domain.problems import Problem
from domain.states import InvoiceState

NOT_TAKEN: Final = frozenset({InvoiceState.REJECTED, InvoiceState.REFUSED})


def problems_of(invoice: InvoiceRecord) -> list[Problem]:
    """Return the provider's refusals of single fields, or the problem that an invoice came back without a reason.

    A city's message is in the invoice's `errors`, and is repeated unchanged.
    """
    found = [Problem.from_json(error) for error in invoice.errors if "params" in error]
    if invoice.state in NOT_TAKEN and not invoice.errors:
        found.append(Problem("invoice.unexplained"))
    return found


def explain(words: Catalogue, error: Mapping[str, Any]) -> tuple[str, str]:
    """Return a city's message unchanged, and what to do: the playbook's advice, else the city's own hint."""
    message = ": ".join(filter(None, (str(error.get("code") or ""), str(error.get("description") or ""))))
    kind = rejection_kind_of(error)
    if kind is None:
        return message, str(error.get("tip") or "")
    problem = Problem(f"rejection.{kind.name}")
    who = words.text(f"acts.{kind.acts}")
    return message, " ".join(filter(None, (words.what(problem), f"{who}: {words.mend(problem)}")))


def say_errors(words: Catalogue, errors: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the sentences of an invoice's `errors`: our codes in the operator's words, the city's texts unchanged."""
    for error in errors:
        if "params" in error:
            yield words.what(Problem.from_json(error))
        else:
            yield ": ".join(filter(None, (str(error.get("code") or ""), str(error.get("description") or ""))))
