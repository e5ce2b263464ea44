"""The commands `person`: a person's requests under the LGPD, and the end of retention terms."""

from cyclopts import App

from domain.documents import Document, parse_document
from domain.problems import FaturistaError, Problem
from domain.staff import Permission
from flows.arguments import Profile, console, require_reason
from flows.authentication import acting_name, acting_person
from tasks.persons.expire import expire as end_terms
from tasks.persons.export import export_person
from tasks.persons.forget import forget_person
from tasks.runtime import open_context

person = App(name="person")


@person.command
def export(document: str, *, profile: Profile = "local") -> None:
    """Write everything that is stored about a person, for that person alone."""
    asked = _document(document)
    with open_context(profile) as context:
        acting_person(context, Permission.OPERATE)
        done = export_person(context, asked)
        console.print(
            context.catalogue.text("person.exported", lines=sum(done.counts.values()), tables=len(done.counts))
        )
        console.print(str(done.folder), soft_wrap=True)


@person.command
def forget(document: str, *, because: str, profile: Profile = "local") -> None:
    """Erase what is stored about a person and not needed for issued invoices."""
    asked, why = _document(document), require_reason(because)
    with open_context(profile) as context:
        done = forget_person(context, asked, person=acting_name(context, Permission.OPERATE), because=why)
        words = context.catalogue
        console.print(words.text("person.forgotten", rows=done.counts["rows"], files=done.files))
        for each in done.retained:
            console.print("! " + words.say(each), markup=False, soft_wrap=True)


@person.command
def expire(*, profile: Profile = "local") -> None:
    """Delete archived sheets, empty refused rows and erase revoked people that are past their term."""
    with open_context(profile) as context:
        done = end_terms(context, person=acting_name(context, Permission.OPERATE))
        console.print(context.catalogue.text("person.expired", sheets=done.sheets, rows=done.rows, staff=done.staff))


def _document(text: str) -> Document:
    parsed = parse_document(text)
    if isinstance(parsed, Problem):
        raise FaturistaError(parsed)
    return parsed.document
