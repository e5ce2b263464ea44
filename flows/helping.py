"""`--help` in the operator's language: what the catalogue says of every command, of its arguments and of the flows.

A command's docstring in the code is one line for whoever reads the code; what people read replaces it here.
"""

import inspect
from collections.abc import Callable
from typing import Any, Final, TypeVar

from cyclopts import App
from cyclopts.help import DefaultFormatter, HelpEntry, HelpPanel, InlineText
from rich.console import Console, ConsoleOptions
from rich.text import Text

from configs.catalogue import Catalogue
from tasks.runtime import PLAYGROUND, words_anyway

T = TypeVar("T", bound=Callable[..., Any])

_SAID: Final = ("choices", "env_var", "default")
_FLAGS: Final = {"--help": "help", "--version": "version"}


def speak(app: App, words: Catalogue) -> None:
    """Give the whole command line its words: `command.<path>`, and `argument.<path>_<name>` or `argument.<name>`."""
    app.help = words.text("command.faturista")
    app.help_formatter = _Spoken(words)
    _speak(app, words, "")


def in_words(flow: str, *, arguments: str = "") -> Callable[[T], T]:
    """For a flow, below `@flow`: what the dashboard says of it, and in its form of each parameter.

    `arguments`: the command whose arguments these are.
    """

    def worded(function: T) -> T:
        words = words_anyway(PLAYGROUND)
        function.__doc__ = _documented(words, words.text(f"flow.{flow}"), function, arguments)
        return function

    return worded


def _speak(app: App, words: Catalogue, path: str) -> None:
    for name in (each for each in app if each not in _FLAGS and not each.startswith("-")):
        below, command = app[name], f"{path}{name}".replace("-", "_")
        said = words.text(f"command.{command}")
        if below.default_command is None:
            below.help = said
        else:
            below.default_command.__doc__ = _documented(words, said, below.default_command, command)
        _speak(below, words, f"{command}_")


def _documented(words: Catalogue, said: str, function: Callable[..., Any], command: str) -> str:
    lines = [said, "", "Args:"]
    for name in inspect.signature(function).parameters:
        own = f"argument.{command}_{name}"
        lines.append(f"    {name}: {words.text(own if own in words.entries else f'argument.{name}')}")
    return "\n".join(lines)


class _Spoken:
    """The library's own page; only its words are ours."""

    def __init__(self, words: Catalogue) -> None:
        self._words, self._page = words.words("help"), DefaultFormatter()

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        title = self._words.get(str(panel.title).lower(), str(panel.title))
        self._page(console, options, panel.copy(title=title, entries=[self._told(each) for each in panel.entries]))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:  # noqa: ARG002 - its shape
        told = (
            str(usage or "").replace("COMMAND", self._words["one_command"]).replace("[OPTIONS]", self._words["options"])
        )
        console.print(Text(f"{self._words['usage']}: {told}", style="bold"))

    def _told(self, entry: HelpEntry) -> HelpEntry:
        flag = next((_FLAGS[name] for name in entry.names if name in _FLAGS), None)
        described = InlineText(Text(self._words[flag])) if flag else entry.description
        if not isinstance(described, InlineText):
            described = InlineText(described)
        for name in _SAID:
            value = getattr(entry, name)
            if value and value != str(False):
                shown = ", ".join(value) if isinstance(value, tuple) else value
                described.append(Text(f"[{self._words[name].replace('{value}', str(shown))}]", "dim"))
        if entry.required:
            described.append(Text(f"[{self._words['required']}]", "red"))
        return entry.copy(description=described, choices=None, env_var=None, default=None, required=False)
