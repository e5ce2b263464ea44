"""`--help` in the operator's language: the catalogue's texts for commands, their arguments and flows.

A command's docstring in the code is for readers of the code. The terminal shows the catalogue's text instead.
"""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, Final

from cyclopts import App
from cyclopts.help import DefaultFormatter, HelpEntry, HelpPanel, InlineText
from rich.console import Console, ConsoleOptions
from rich.text import Text

from configs.catalogue import Catalogue

_NOTES: Final = ("choices", "env_var", "default")
_FLAGS: Final = {"--help": "help", "--version": "version"}


def localize(app: App, words: Catalogue, typed: Sequence[str]) -> None:
    """Set the texts of the command line: `command.<path>`, and `argument.<path>_<name>` or `argument.<name>`.

    Load only the commands named in `typed`; the others have the first line of their help already.
    """
    app.help = words.text("command.faturista")
    app.help_formatter = _LocalizedPage(words)
    for name in {name for name in app if not name.startswith("-")}.intersection(typed):
        _localize(app[name], words, name.replace("-", "_"))


def _localize(command: App, words: Catalogue, path: str) -> None:
    text = words.text(f"command.{path}")
    if command.default_command is None:
        command.help = text
    else:
        parameters = inspect.signature(command.default_command).parameters.values()
        command.default_command.__doc__ = localized_docstring(words, text, parameters, path)
    for name in (each for each in command if not each.startswith("-")):
        _localize(command[name], words, f"{path}_{name}".replace("-", "_"))


def localized_docstring(words: Catalogue, text: str, parameters: Iterable[inspect.Parameter], command: str) -> str:
    """Return a docstring that describes each parameter as the catalogue does for this command."""
    lines = [text, "", "Args:"]
    for each in parameters:
        own = f"argument.{command}_{each.name}"
        lines.append(f"    {each.name}: {words.text(own if own in words.entries else f'argument.{each.name}')}")
    return "\n".join(lines)


class _LocalizedPage:
    """The library's help page with our texts."""

    def __init__(self, words: Catalogue) -> None:
        self._words, self._page = words.words("help"), DefaultFormatter()

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        title = self._words.get(str(panel.title).lower(), str(panel.title))
        self._page(
            console, options, panel.copy(title=title, entries=[self._localize_entry(each) for each in panel.entries])
        )

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:  # noqa: ARG002 - its shape
        usage_text = (
            str(usage or "").replace("COMMAND", self._words["one_command"]).replace("[OPTIONS]", self._words["options"])
        )
        console.print(Text(f"{self._words['usage']}: {usage_text}", style="bold"))

    def _localize_entry(self, entry: HelpEntry) -> HelpEntry:
        flag = next((_FLAGS[name] for name in entry.names if name in _FLAGS), None)
        description = InlineText(Text(self._words[flag])) if flag else entry.description
        if not isinstance(description, InlineText):
            description = InlineText(description)
        for name in _NOTES:
            value = getattr(entry, name)
            if value and value != str(False):
                shown = ", ".join(value) if isinstance(value, tuple) else value
                description.append(Text(f"[{self._words[name].replace('{value}', str(shown))}]", "dim"))
        if entry.required:
            description.append(Text(f"[{self._words['required']}]", "red"))
        return entry.copy(description=description, choices=None, env_var=None, default=None, required=False)
