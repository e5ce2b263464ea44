"""Explain why an invoice was not accepted, as far as the playbook (`configs/rejections.py`) knows the reason."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from configs.catalogue import Catalogue
from configs.rejections import may_go_again, rejection_kind_of
from connectors.ledger.invoices import InvoiceRecord
from domain.problems import Problem
from domain.states import InvoiceState

_REJECTED_BEFORE: Final = "row.rejected_unchanged"
NOT_TAKEN: Final = frozenset({InvoiceState.REJECTED, InvoiceState.REFUSED})


def problems_of(invoice: InvoiceRecord) -> list[Problem]:
    """Return the provider's refusals of single fields, or one problem if a refused invoice has no reason at all.

    Leave out the city's messages in `errors`, which `explain` repeats unchanged.
    """
    found = [Problem.from_json(error) for error in invoice.errors if "params" in error]
    if invoice.state in NOT_TAKEN and not invoice.errors:
        found.append(Problem("invoice.unexplained"))
    return found


def explain(
    words: Catalogue, errors: Iterable[Mapping[str, Any]], *, is_otherwise_valid: bool
) -> Iterator[tuple[str, str]]:
    """Yield each of a city's messages unchanged, and what to do: the playbook's advice, else the city's own hint.

    `is_otherwise_valid`: we found nothing else wrong with the row. The advice that nobody has to act is given only if
    this is true and no other message needs a person.
    """
    from_city = [error for error in errors if "params" not in error]
    passes = is_otherwise_valid and may_go_again(from_city)
    for error in from_city:
        message = ": ".join(filter(None, (str(error.get("code") or ""), str(error.get("description") or ""))))
        kind = rejection_kind_of(error)
        if kind is None:
            yield message, str(error.get("tip") or "")
            continue
        problem = Problem(f"rejection.{kind.name}")
        advice = f"{words.text(f'acts.{kind.acts}')}: {words.advice(problem)}"
        yield message, " ".join(filter(None, (words.what(problem), advice if passes or kind.acts != "nobody" else "")))


def is_otherwise_valid(problems: Iterable[Problem]) -> bool:
    """Return whether we found no problem in a row, except that the issuer rejected the same row before."""
    return all(problem.code == _REJECTED_BEFORE for problem in problems)


def repeats_the_issuer(problem: Problem, explained: Iterable[tuple[str, str]]) -> bool:
    """Return whether the issuer's own messages say what to do about this problem of ours."""
    return problem.code == _REJECTED_BEFORE and any(advice for _, advice in explained)


def say_errors(words: Catalogue, errors: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the sentences of an invoice's `errors`: our codes in the operator's words, the city's texts unchanged."""
    for error in errors:
        if "params" in error:
            yield words.what(Problem.from_json(error))
        else:
            yield ": ".join(filter(None, (str(error.get("code") or ""), str(error.get("description") or ""))))
