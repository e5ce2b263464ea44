"""The forms of the dashboard: a list instead of free text, and every choice can be billed."""

from pathlib import Path
from typing import Any

from flows.prefect_forms import with_choices
from tasks.sheets.offered_files import find_offered, offered_names
from tasks.stations.intake import archive_file
from tests.tasks.workshop import Workshop


def test_a_parameter_becomes_one_of_a_list_and_the_others_stay():
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "position": 0},
            "made": {"type": "integer"},
            "findings": {"type": "array", "items": {"type": "string"}},
        },
    }
    seen = with_choices(schema, path=["a.xlsx"], sheet=["none"], findings=["all"])
    assert seen["properties"]["findings"]["items"] == {"type": "string", "enum": ["all"]}
    assert seen["properties"]["path"] == {"type": "string", "position": 0, "enum": ["a.xlsx"]}
    assert seen["properties"].keys() == {"path", "made", "findings"}
    assert "enum" not in schema["properties"]["path"]


def test_every_offered_file_is_found(shop: Workshop):
    inbox = shop.home / "inbox" / "novembro"
    inbox.mkdir(parents=True)
    (inbox / "new.csv").write_text("a;b\n")
    taken = shop.home / "taken.csv"
    taken.write_text("c;d\n")
    with shop.context() as context:
        first = archive_file(context, taken, kind="services")
        taken.unlink()
        assert offered_names(context, "services") == ["new.csv", "taken.csv"]
        assert offered_names(context, "products") == ["new.csv"]
        assert find_offered(context, Path("new.csv")) == inbox / "new.csv"
        assert archive_file(context, find_offered(context, Path("taken.csv")), kind="services") == first
        assert find_offered(context, Path("unknown.csv")) == Path("unknown.csv")
