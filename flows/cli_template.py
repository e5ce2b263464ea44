"""The command `template`: write a blank workbook."""

import asyncio
from pathlib import Path
from typing import Literal

from flows.arguments import Profile, console, parse_cnpj
from tasks.runtime import open_context
from tasks.sheets.blank_workbook import write_template


def template(
    kind: Literal["services", "products", "takers", "templates", "emitters", "contracts", "indexes"],
    *,
    emitter: str | None = None,
    output: Path | None = None,
    profile: Profile = "local",
) -> None:
    """Write a workbook to fill in, with lists of this account's data."""
    number = None if emitter is None else parse_cnpj(emitter)
    written = asyncio.run(write_template(profile, kind, emitter_cnpj=number, output=output))
    with open_context(profile) as context:
        console.print(context.catalogue.text("cli.blank_written", path=written.path), soft_wrap=True)
        if not written.has_lists:
            console.print(context.catalogue.text("cli.blank_bare"))
