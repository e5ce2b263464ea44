"""`--help` in the operator's language: all commands, arguments and flows have their texts, and none is unused."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from cyclopts import App
from prefect import Flow
from prefect.utilities.callables import parameter_schema

from configs.catalogue import LANGUAGES, Catalogue
from flows import prefect_flows
from flows.cli import COMMANDS, command_line
from flows.localized_help import localize
from tests.flows.terminal import Terminal


def commands(above: App, path: str = "") -> Iterator[tuple[str, App]]:
    for name in (each for each in above if not each.startswith("-")):
        yield f"{path}{name}", above[name]
        yield from commands(above[name], f"{path}{name} ")


def flows() -> list[Flow[..., Any]]:
    return [*prefect_flows.FLOWS.values()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_and_every_argument_has_its_words(language: str):
    words = Catalogue.load(language)
    app = command_line(words)
    localize(app, words, list(COMMANDS))
    used, missing = {"command.faturista"}, []
    for path, command in commands(app):
        code = path.replace(" ", "_").replace("-", "_")
        used.add(f"command.{code}")
        assert command.help.split("\n")[0] == words.text(f"command.{code}"), path
        # A code without words is shown as `[command.…]`, which the comparison above cannot tell from a text.
        missing += [] if f"command.{code}" in words.entries else [f"command.{code}"]
        if command.default_command is not None:
            names = inspect.signature(command.default_command).parameters
            worded = [name for name in names if {f"argument.{code}_{name}", f"argument.{name}"} & words.entries.keys()]
            missing += [f"argument.{name} of {path}" for name in names if name not in worded]
            used |= {f"argument.{code}_{name}" for name in names} | {f"argument.{name}" for name in names}
    for flow in flows():
        used.add(f"flow.{flow.name}")
        missing += [] if f"flow.{flow.name}" in words.entries else [f"flow.{flow.name}"]
        used |= {f"argument.{name}" for name in inspect.signature(flow.fn).parameters}
        # The dashboard's form for bill_services has the texts of the command `bill`, that of work_batches its own.
        parameters = inspect.signature(flow.fn).parameters
        used |= {f"argument.{prefix}_{name}" for prefix in ("approval", "bill", "work") for name in parameters}
    texts = {code for code in words.entries if code.partition(".")[0] in {"command", "argument", "flow"}}
    assert missing == []
    assert texts - used == set()


def test_the_form_of_every_flow_describes_each_parameter():
    by_name = {flow.name: flow for flow in flows()}
    assert len(by_name) == 13
    for name, flow in by_name.items():
        # In the language of the test that imported it first.
        assert str(flow.description).startswith(tuple(Catalogue.load(each).text(f"flow.{name}") for each in LANGUAGES))
        described = {name: each.get("description", "") for name, each in parameter_schema(flow.fn).properties.items()}
        assert all(len(text) > 5 and not text.startswith("[argument.") for text in described.values()), described


def test_usage_is_shown_in_the_operators_language(terminal: Terminal, monkeypatch: pytest.MonkeyPatch):
    seen = terminal("bill", "--help").output
    assert "Uso: faturista bill [OPÇÕES] FILE" in seen
    assert "--competence STR Mês, como 2026-11" in seen
    assert "[ou na variável FATURISTA_PROFILE] [padrão: local]" in seen
    assert "[obrigatório]" in seen
    assert "Mostra esta ajuda." in terminal("--help").output
    monkeypatch.setenv("FATURISTA_LANGUAGE", "en")
    assert "Usage: faturista report decide --because STR [OPTIONS] LISTED" in terminal("report", "decide", "-h").output
