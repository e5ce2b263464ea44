"""The commands `layout`: store, show and delete what a sender's headers mean."""

from pathlib import Path

from cyclopts import App

from configs.catalogue import Catalogue
from connectors.spreadsheets.formats.sheet_metadata import column_letter
from domain.problems import FaturistaError, Problem
from domain.staff import Permission
from flows.arguments import Profile, console
from flows.authentication import acting_name
from flows.screens import show_table
from tasks.runtime import open_context
from tasks.sheets.mapping_choice import plain_layouts, stored_mappings
from tasks.sheets.mapping_storage import StoredMapping, delete_mappings, store_mapping

layout = App(name="layout")


@layout.command
def learn(file: Path, *, column: list[str], sender: str, sheet: str | None = None, profile: Profile = "local") -> None:
    """Save what a sheet's headers mean, for files with the same headers and for files of the sender."""
    pairs = dict(_pair(each) for each in column)
    with open_context(profile) as context:
        stored = store_mapping(
            context, file, pairs, sender=sender, person=acting_name(context, Permission.BILL), sheet=sheet
        )
        _show(context.catalogue, stored)


@layout.command(name="list")
def list_(*, profile: Profile = "local") -> None:
    """Show all saved meanings of headers, and who saved them."""
    with open_context(profile) as context:
        words, plain = context.catalogue, plain_layouts()
        rows = [
            (each.name, words.text(f"cli.kind_{each.kind}").rstrip("."), each.shown(plain[each.kind]), each.saved_by)
            for each in stored_mappings(context)
        ]
        show_table(console, words, ("sender", "kind", "columns", "person"), rows)
        if not rows:
            console.print(words.text("mapping.none"))


@layout.command(name="forget")
def forget_(sender: str, *, profile: Profile = "local") -> None:
    """Delete the saved meanings of a sender's headers."""
    with open_context(profile) as context:
        gone = delete_mappings(context, sender)
        console.print(context.catalogue.text("mapping.forgotten", name=gone[0].name))


def _pair(text: str) -> tuple[str, str]:
    header, sign, meaning = (part.strip() for part in text.rpartition("="))
    if not sign or not header or not meaning:
        raise FaturistaError(Problem("mapping.pair", params={"text": text}))
    return header, meaning


def _show(words: Catalogue, stored: StoredMapping) -> None:
    fields = {index: field for field, index in stored.header.columns.items()}
    rows = [
        (column_letter(index), text, words.field(fields[index]) if index in fields else words.text("preview.unused"))
        for index, text in sorted(stored.header.texts.items())
    ]
    show_table(console, words, ("column", "header", "field"), rows)
    code = "mapping.replaced" if stored.replaced else "mapping.saved"
    console.print(words.text(code, name=stored.mapping.name))
