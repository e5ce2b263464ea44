"""The command `audit numbers`: what became of every number of our series."""

import asyncio
import sys

from cyclopts import App

from flows.arguments import Profile, console, parse_cnpj
from flows.page_screen import show_page
from tasks.backup.number_audit import audit_numbers, audit_page, open_audit, write_audit

audit = App(name="audit")


@audit.command
def numbers(*, emitter: str | None = None, serie: str | None = None, profile: Profile = "local") -> None:
    """Explain every number of every serie, and show whether the serie is ours."""
    asyncio.run(_show(profile, None if emitter is None else parse_cnpj(emitter), serie))


async def _show(profile: str, emitter_cnpj: str | None, serie: str | None) -> None:
    async with open_audit(profile) as (context, silence):
        audits = await audit_numbers(context, emitter_cnpj=emitter_cnpj, serie=serie, silence=silence)
        show_page(console, audit_page(context.catalogue, audits))
        console.print(context.catalogue.text("audit.written", path=write_audit(context, audits)), soft_wrap=True)
    if not all(each.is_explained for each in audits):
        sys.exit(1)
