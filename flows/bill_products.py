"""Flow: a dropped products sheet becomes batches whose invoices are fixed, ready for a person's yes."""

from datetime import date
from pathlib import Path

from prefect import flow
from prefect.runtime import flow_run

from flows.billing import bill
from flows.helping import in_words
from tasks.read import ReadingOptions
from tasks.runtime import PRODUCTS


def _run_name() -> str:
    return f"bill {Path(flow_run.parameters['path']).name}"


@flow(name="bill_products", flow_run_name=_run_name, validate_parameters=True)
@in_words("bill_products", arguments="bill")
async def bill_products(
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
    made: int | None = None,
) -> int:
    """Stations 1 to 5 on one file, then the profile's own approval if it has one; the reading's id.

    `emitter` (CNPJ) and `competence` (first of a month) hold for rows that do not say it themselves; `sheet` is
    named where several could be read.
    """
    options = ReadingOptions(
        operator=operator,
        emitter_cnpj=emitter,
        competence=competence,
        sheet=sheet,
        sender=sender,
        allow_repeats=allow_repeats,
        retry_rejected=retry_rejected,
    )
    return await bill(profile, path, kind=PRODUCTS, options=options, made=made)
