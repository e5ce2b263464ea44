"""The command `audit numbers`: what became of every number of our series."""

import asyncio
import sys

from cyclopts import App

from flows import screens
from flows.arguments import Profile, cnpj, console
from tasks.keeping.audit import audit_numbers, audit_page, write_audit
from tasks.runtime import open_runtime

audit = App(name="audit")


@audit.command
def numbers(*, emitter: str | None = None, serie: str | None = None, profile: Profile = "local") -> None:
    """Explain every number of every serie, and say whether the serie is ours."""
    asyncio.run(_show(profile, None if emitter is None else cnpj(emitter), serie))


async def _show(profile: str, emitter_cnpj: str | None, serie: str | None) -> None:
    async with open_runtime(profile, station="audit") as runtime:
        audits = await audit_numbers(runtime, emitter_cnpj=emitter_cnpj, serie=serie)
        screens.show_page(console, audit_page(runtime.catalogue, audits))
        console.print(runtime.catalogue.text("audit.written", path=write_audit(runtime, audits)), soft_wrap=True)
    if not all(each.is_explained for each in audits):
        sys.exit(1)
