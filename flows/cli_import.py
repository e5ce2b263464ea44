"""The commands `import`: master data from sheets, shown first and written only when asked to."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from cyclopts import App
from rich.markup import escape
from rich.table import Table

from configs.catalogue import Catalogue
from flows.arguments import Profile, console
from tasks.master.takers import TakerPlan, apply_takers, plan_takers, tally
from tasks.runtime import open_runtime

ROWS_SHOWN = 200

import_ = App(name="import", help="Master data from sheets: shown first, written with --apply.")


@import_.command
def takers(file: Path, *, apply: bool = False, sheet: str | None = None, profile: Profile = "local") -> None:
    """Show what a sheet of customers would create and change at the provider; with --apply, do it.

    Args:
        file: The workbook or CSV; `faturista template takers` writes one to fill in.
        apply: Create and change.
        sheet: Sheet of the workbook, where several fit.
        profile: Which settings to use.
    """
    asyncio.run(_take(file, is_applied=apply, sheet=sheet, profile=profile))


async def _take(file: Path, *, is_applied: bool, sheet: str | None, profile: str) -> None:
    async with open_runtime(profile, station="import") as runtime:
        words = runtime.catalogue
        plans = await plan_takers(runtime, file, sheet=sheet)
        if is_applied:
            plans = await apply_takers(runtime, plans)
    _show(words, plans)
    console.print(escape(_sum(words, plans, is_applied=is_applied)))
    fates, _ = tally(plans)
    if not is_applied and (fates["new"] or fates["changed"]):
        console.print(words.text("import.apply"))


def _show(words: Catalogue, plans: Sequence[TakerPlan]) -> None:
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for heading in ("rows", "taker", "what", "detail"):
        table.add_column(words.text(f"heading.{heading}"))
    shown = [plan for plan in plans if plan.fate != "same"]
    for plan in shown[:ROWS_SHOWN]:
        who = "" if plan.said is None else plan.said.name or ""
        rows = ", ".join(map(str, plan.rows))
        detail = "\n".join(_details(words, plan))
        table.add_row(rows, escape(who), words.text(f"import.{plan.fate}"), escape(detail))
    if shown:
        console.print(table)


def _details(words: Catalogue, plan: TakerPlan) -> Iterator[str]:
    for problem in plan.problems:
        yield f"{words.what(problem)} {words.mend(problem)}".strip()
    for change in plan.changes:
        yield words.text(
            "import.change", field=words.field(change.field), was=change.was or "–", becomes=change.becomes
        )


def _sum(words: Catalogue, plans: Sequence[TakerPlan], *, is_applied: bool) -> str:
    fates, groups = tally(plans)
    counted = ", ".join(f"{count} {words.text(f'import.group_{name}')}" for name, count in sorted(groups.items()))
    code = "import.done" if is_applied else "import.would"
    said = words.text(code, new=fates["new"], changes=counted or words.text("import.nothing"), same=fates["same"])
    rest = (("import.waiting", fates["waits"]), ("import.refusals", fates["refused"]))
    return " ".join([said, *(words.text(name, count=count) for name, count in rest if count)])
