"""The console of all commands: it shows texts of any origin and executes nothing in them.

A cell may contain terminal control sequences, the console library's own markup or emoji codes. None of them has an
effect here: markup and emoji codes are off, and all output passes `visible` just before it is written.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from domain.texts import visible

WARNING: Final = "bold yellow"
ALARM: Final = "bold red"


def safe_console() -> Console:
    """Return a console on standard output that executes nothing in the texts it shows."""
    console = Console(markup=False, emoji=False)
    console.push_render_hook(_OnlyVisible())
    return console


def show_alarm(console: Console, text: str, *, style: str = WARNING, soft_wrap: bool = False) -> None:
    """Show a text after an exclamation mark."""
    console.print(Text("!", style), Text(text), soft_wrap=soft_wrap)


class _OnlyVisible(RenderHook):
    """Wraps everything that is printed."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Visible(each) for each in renderables]


@dataclass(frozen=True, slots=True)
class _Visible:
    """Renders something without control characters. The console's own control codes stay."""

    inner: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        segments: Iterable[Segment] = console.render(self.inner, options)
        for text, style, control in segments:
            yield Segment(text if control else visible(text), style, control)
