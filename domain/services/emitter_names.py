"""Find a row whose sheet names an emitter other than the one that would issue its invoice."""

from collections.abc import Collection, Mapping

from domain.documents import is_cnpj
from domain.names import are_alike
from domain.services.lines import ServiceLine


def are_emitters(companies: Collection[str], every: Mapping[str, str]) -> bool:
    """Return whether one of these companies is an emitter, so that their column is about emitters."""
    return any(_names(written, cnpj, name) for written in companies for cnpj, name in every.items())


def other_emitter(
    line: ServiceLine, cnpj: str, name: str, every: Mapping[str, str], *, is_of_emitters: bool = False
) -> tuple[str, str] | None:
    """Return the field and the text by which a row names an emitter other than `cnpj`, or None.

    `every` are the names of all emitters by CNPJ. A company beside the customer counts as another emitter only if it is
    in `every`, if its CNPJ is neither the emitter's nor the customer's, or if its column `is_of_emitters`.
    """
    if line.emitter_name is not None and not _names(line.emitter_name, cnpj, name):
        return "emitter_name", line.emitter_name
    written, taker = line.company_name, line.taker
    if written is None or _names(written, cnpj, name):
        return None
    number = "" if taker.document is None else taker.document.number
    if _names(written, number, taker.name or "") or (taker.fancy_name and are_alike(written, taker.fancy_name)):
        return None
    is_other = is_of_emitters or is_cnpj(written) or any(_names(written, cnpj, name) for cnpj, name in every.items())
    return ("company_name", written) if is_other else None


def _names(written: str, cnpj: str, name: str) -> bool:
    """Return whether a text is this company's CNPJ, or a name like its own."""
    return written == cnpj if is_cnpj(written) else bool(name) and are_alike(written, name)
