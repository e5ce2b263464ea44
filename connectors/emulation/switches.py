"""Switches of an emulator: each has a few named values or is a number; other values are refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from connectors.emulation.messages import Json

_MOST: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Switches:
    """`choices`: the values of each named switch, default first; `numbers`: the default of each number."""

    choices: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, float]

    def defaults(self) -> Json:
        return {**{name: values[0] for name, values in self.choices.items()}, **self.numbers}

    def checked(self, changes: Mapping[str, Any]) -> Json:
        """Return the changes if every name and value is valid. Raises `ValueError` with a sentence."""
        for name, value in changes.items():
            if name in self.choices:
                if value not in self.choices[name]:
                    raise ValueError(f"{name} is one of {', '.join(self.choices[name])}, not {value}")
            elif name not in self.numbers:
                raise ValueError(f"no switch is called {name}")
            elif isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
                raise ValueError(f"{name} is a number from 0 to {_MOST}, not {value}")
        return dict(changes)
