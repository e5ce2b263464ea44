"""The status page over HTTP: the emulators' present content."""

from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse

from connectors.emulation.system import Emulator, SharedParts, advance
from connectors.sandbox.status_page import HEADERS, View, render
from connectors.sandbox.status_texts import LANGUAGES, Words, preferred

_LATEST: Final = "SELECT * FROM {} ORDER BY id DESC LIMIT 12"


class Watch:
    """The route of the status page. `language` is for browsers that ask for no available language."""

    def __init__(self, shared: SharedParts, emulators: tuple[Emulator, ...], language: str) -> None:
        self._shared, self._emulators, self._language = shared, emulators, language

    async def show(self, request: Request) -> HTMLResponse:
        """Show the page in the language of `?language=`, else the browser's. `?pause=1` stops its refreshing."""
        asked, accepted = request.query_params.get("language"), request.headers.get("accept-language", "")
        language = asked if asked in LANGUAGES else preferred(accepted, self._language)
        with self._shared.store.transaction():
            advance(self._emulators)
            view = self._view()
        page = render(view, Words(language), is_paused=request.query_params.get("pause") == "1")
        return HTMLResponse(page, headers=dict(HEADERS))

    def _view(self) -> View:
        clock, store = self._shared.clock, self._shared.store
        switches = [
            (name, value, emulator.default_switches[name])
            for emulator in self._emulators
            for name, value in emulator.switches().items()
        ]
        return View(
            now=clock.now(),
            ahead_s=clock.ahead_s,
            overviews=[emulator.overview() for emulator in self._emulators],
            rules=self._shared.faults.rules,
            violations=store.records(_LATEST.format("violations")),
            violation_count=store.one("SELECT COUNT(*) FROM violations")[0],
            requests=store.records(_LATEST.format("requests")),
            request_count=store.one("SELECT MAX(id) FROM requests")[0] or 0,
            changed=[each for each in switches if each[1] != each[2]],
        )
