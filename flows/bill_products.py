"""Flow: turn a dropped products sheet into batches of fixed invoices that wait for a person's yes."""

from datetime import date

from flows.billing import bill
from flows.runner import Runner
from tasks.runtime import PRODUCTS
from tasks.stations.read import ReadingOptions


async def bill_products(
    runner: Runner,
    path: str,
    *,
    profile: str = "local",
    emitter: str | None = None,
    competence: date | None = None,
    operator: str = "scheduler",
    sheet: str | None = None,
    sender: str | None = None,
    allow_repeats: bool = False,
    retry_rejected: bool = False,
    template: str | None = None,
    made: int | None = None,
) -> int:
    """Run stations 1 to 5 on one file. Return the reading's id.

    Args:
        runner: How stations are called.
        path: The workbook.
        profile: Name of the profile.
        emitter: CNPJ for rows without one.
        competence: First day of the month for rows without one.
        operator: Who dropped the file.
        sheet: Name of the sheet, where the workbook has several.
        sender: Name under which somebody taught the headers.
        allow_repeats: Bill rows that look like rows billed before.
        retry_rejected: Bill rows again that the city rejected.
        template: Template of rows whose sheet has no column for it.
        made: Id of a reading that the caller made of the file already.
    """
    options = ReadingOptions(
        operator=operator,
        emitter_cnpj=emitter,
        competence=competence,
        sheet=sheet,
        sender=sender,
        allow_repeats=allow_repeats,
        retry_rejected=retry_rejected,
        template=template,
    )
    return await bill(runner, profile, path, kind=PRODUCTS, options=options, made=made)
