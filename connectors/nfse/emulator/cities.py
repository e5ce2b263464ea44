"""The cities where notes can be issued, and a few in certification."""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Response
from connectors.emulation.pagination import envelope_page
from connectors.nfse.emulator.state import EmulatorState, spelled

# in certification: listed, but nobody can issue there yet
_TESTING: Final[tuple[Json, ...]] = (
    {"name": "Belo Horizonte", "state": "MG", "city_code": 3106200, "status": "testing"},
    {"name": "Curitiba", "state": "PR", "city_code": 4106902, "status": "testing"},
    {"name": "Niterói", "state": "RJ", "city_code": 3303302, "status": "testing"},
)
_FILTERS: Final = ("name", "state")


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    return {"cities.list": Cities(world).find}


class Cities:
    def __init__(self, world: EmulatorState) -> None:
        certified = [
            {"name": city.name, "state": city.state, "city_code": city.code, "status": "ok"}
            for city in world.cities.values()
        ]
        self._all = sorted([*certified, *_TESTING], key=lambda city: str(city["name"]))

    def find(self, call: Call) -> Response:
        """List cities. Filters match in any spelling, but never by prefix [A notes 1.21]."""
        asked = {name: spelled(call.query[name]) for name in _FILTERS if name in call.query}
        found = [city for city in self._all if all(spelled(city[name]) == text for name, text in asked.items())]
        return envelope_page(call, len(found), lambda limit, offset: found[offset : offset + limit])
