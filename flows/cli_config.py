"""The commands `config`: show the current settings of a profile."""

from cyclopts import App
from rich.text import Text

from configs.catalogue import Catalogue
from configs.language import language_of
from configs.setting_sources import origins
from flows.arguments import Profile, console

config = App(name="config")


@config.command
def show(*, origin: bool = False, profile: Profile = "local") -> None:
    """Show every setting; with --origin, the variable or file that gave it. Mask secrets."""
    found = origins(profile)
    words = Catalogue.load(language_of(profile))
    for each in found:
        line = Text(f"{each.key} = {each.value}")
        if origin:
            line.append(f"   {words.text('config.from', source=each.source)}", "dim")
        console.print(line, soft_wrap=True, highlight=False)
