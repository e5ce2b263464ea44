"""Look up a customer in the issuer's register, compare it with the intended one, or create it there."""

from connectors.http.errors import Doubtful, Refused
from connectors.ledger.parties import TakerRecord
from domain.documents import Document
from domain.issuing import Register, RemoteCustomer
from domain.issuing.customers import Customer, is_same_name
from domain.parties import TakerData
from domain.problems import Problem
from tasks.issuance.refusals import refusals

_CREATION_TRIES = 3


async def look_up(register: Register, document: Document | None) -> RemoteCustomer | None:
    """Return the customer of this document, or None."""
    assert document is not None
    found = await register.customers(document)
    return found[0] if found else None


async def compare_taker(
    register: Register, known: TakerRecord, taker: RemoteCustomer | None, meant: TakerData
) -> tuple[RemoteCustomer | None, Problem | None]:
    """Compare the ledger's customer with `taker`, which the register has now for the same document.

    Return the customer to use (None: create one) and a problem that forbids billing. A changed name is accepted if the
    sheet (`meant`) has the new name. A record that now has another document must not be billed.
    """
    assert meant.document is not None
    ours = Customer(meant.document.number, meant.name)
    if taker is None:
        taker = await register.customer(known.remote_id)
        if taker is not None and taker.document != known.document:
            return None, _changed_problem("taker.other_document", taker, ours)
    if taker is None or is_same_name(taker.data.name, known.name):
        return taker, None
    is_known_name = meant.name is not None and is_same_name(taker.data.name, meant.name)
    return taker, None if is_known_name else _changed_problem("taker.other_name", taker, ours)


def _changed_problem(code: str, taker: RemoteCustomer, ours: Customer) -> Problem:
    theirs = Customer(taker.document, taker.data.name)
    field = "name" if code == "taker.other_name" else "document"
    return Problem(code, field, params={"theirs": theirs.shown, "ours": ours.shown})


async def create(register: Register, data: TakerData) -> RemoteCustomer | list[Problem]:
    """Create a customer and return it, or return the issuer's reasons against it.

    The register has one customer for each document. After a refusal, a lost answer or an answer about another customer,
    return the one that the register has for our document.
    """
    assert data.document is not None
    ours = Customer(data.document.number, data.name)
    refused: list[Problem] = []
    for _ in range(_CREATION_TRIES):
        made = None
        try:
            made = await register.create_customer(data)
            if Customer(made.document, made.data.name).is_same(ours):
                return made
            refused = [Problem("taker.not_created", "document")]
        except Doubtful:
            refused = [Problem("taker.not_created", "document")]
        except Refused as error:
            refused = refusals(error)
        found = await look_up(register, data.document)
        if found is not None and made is not None and not is_same_name(found.data.name, data.name):
            return [_changed_problem("taker.other_name", found, ours)]
        if found is not None:
            return found
        if refused and refused[0].code != "taker.not_created":
            break
    return refused
