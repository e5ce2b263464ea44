"""The JSON requests under `/_sandbox/` that control the sandbox; a 400 `{"detail"}` says what is wrong.

* GET `record` → the providers' content: notes, batches, product_invoices, violations, requests_by_operation; with
  `?requests=1` the latest requests and applied_faults (at most 20,000 of each), with `?history=1` every status change.
  Each list has only entries with ids from `?first=` (default 1) on, at most 5,000; `next` is the `first` of the next
  part, null after the last
* GET `requests` → the number of requests by operation: `requests_by_operation` alone, for whoever asks often
* POST `reset` → everything as at the first start, switches and faults included
* GET `content` → the whole state, the rows of every table; POST `content` with some of these tables → their rows are
  those again, in this sandbox or another of the same version
* GET `seed` → the company of a first start; POST `seed` with a company of that shape → reset with that company. It
  needs an account; its `organizations`, `sales` and `identity` default to those of a first start
* GET or POST `switches`, `{name: value}` as in the `switches` of each emulator → all switches
* GET or POST `faults`, `[{operation, kind, …}]` as in `connectors.emulation.faults`, replacing the earlier ones; `[]`
  for none → the rules with `seen` and `applied`
* POST `act`, an act of a person on the web page → the ids. `{do: send | cancel_batch, batch_id}`,
  `{do: delete | cancel, note_id}`, `{do: reject, note_id, code}` (the city will reject it with this code),
  `{do: edit, note_id, fields, service_values}`, `{do: add, batch_id | note_id, serie, number}` (a copy of a note, by
  default with the next number), and for product invoices
  `{do: cancel_product | add_product, invoice_id, serie, number}`; the acts of
  `connectors.orders.emulator.seller_events`; `{do: sign_on, identity}` → the user data record of an application
* POST `clock`, `{ahead_s: n}` → the provider's clock moves n more seconds ahead

Violations: `duplicate_rps` (a number posted again), `issued_twice` (two notes of one number sent), `silently_cancelled`
(São Paulo cancelled the earlier one), `attached_after_send`; of product invoices `duplicate_product_number`,
`duplicate_remote_id`, `product_issued_twice`.
"""

import json
import sqlite3
from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse

from connectors.emulation.messages import Json, Refusal
from connectors.emulation.request_journal import requests_by_operation
from connectors.emulation.state_file import Store, Window
from connectors.emulation.system import Emulator, SharedParts, advance

_WINDOW: Final = 5_000
_LONGEST: Final = 500
# the errors that an invalid control request may raise; the shape of a company is checked only by using it
_NONSENSE: Final = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    Refusal,
    sqlite3.Error,
)


class Control:
    """Answers the control requests. `first` is the company of a first start; None for the emulators' default."""

    def __init__(self, shared: SharedParts, emulators: tuple[Emulator, ...], first: Json | None) -> None:
        self._shared, self._emulators = shared, emulators
        self._first = first
        self._blank: Json | None = None
        self._verbs: dict[tuple[str, str], Callable[[Any, Any], Any]] = {
            ("GET", "record"): lambda _, query: self._record(query),
            ("GET", "requests"): lambda *_: requests_by_operation(self.store),
            ("POST", "reset"): lambda *_: self._begin_anew(),
            ("GET", "content"): lambda *_: self.store.content(),
            ("POST", "content"): lambda body, _: self._put_back(body),
            ("GET", "seed"): lambda *_: self._company(),
            ("POST", "seed"): lambda body, _: self._reset(body),
            ("GET", "switches"): lambda *_: self.switch({}),
            ("POST", "switches"): lambda body, _: self.switch(body),
            ("GET", "faults"): lambda *_: shared.faults.rules,
            ("POST", "faults"): lambda body, _: self._faults(body),
            ("POST", "act"): lambda body, _: self._act(body),
            ("POST", "clock"): lambda body, _: {"ahead_s": shared.clock.put_ahead(float(body["ahead_s"]))},
        }

    @property
    def store(self) -> Store:
        return self._shared.store

    def seed_at_first(self) -> None:
        """Store the initial company in a new state file. Do nothing if the file has a company."""
        if not self.store.setting("account", None):
            with self.store.transaction():
                self._seed(self._company())

    def switch(self, changes: Json) -> Json:
        """Change switches of any emulator. Return all switches. Raises `ValueError` with a sentence."""
        rest, found = dict(changes), {}
        for emulator in self._emulators:
            own = {name: rest.pop(name) for name in list(rest) if name.startswith(emulator.switch_prefix)}
            found.update(emulator.switch(own))
        return found

    async def take(self, request: Request) -> JSONResponse:
        verb = self._verbs.get((request.method, request.path_params["verb"]))
        if verb is None:
            return JSONResponse({"detail": "no such verb"}, status_code=404)
        try:
            body = await request.json() if await request.body() else None
            with self.store.transaction():
                advance(self._emulators)
                answer = verb(body, request.query_params)
        except _NONSENSE as wrong:
            self._reload()
            detail = str(wrong) if isinstance(wrong, ValueError) else f"{type(wrong).__name__}: {wrong}"
            return JSONResponse({"detail": detail[:_LONGEST]}, status_code=400)
        return JSONResponse(answer)

    def _record(self, query: Any) -> Json:
        first = int(query.get("first", "1"))
        window = Window(first, first + _WINDOW - 1, has_history=query.get("history") == "1")
        found: Json = {
            "requests_by_operation": requests_by_operation(self.store),
            "violations": [
                {"at": row["at"], "kind": row["kind"], **json.loads(row["details"])}
                for row in self.store.within("violations", window)
            ],
        }
        if query.get("requests") == "1":
            found["requests"] = self.store.within("requests", window)
            found["applied_faults"] = self.store.within("applied_faults", window)
        for emulator in self._emulators:
            found.update(emulator.record(window))
        return {**found, "next": window.last + 1 if window.is_cut else None}

    def _company(self) -> Json:
        if self._first is not None:
            return self._first
        return {key: value for emulator in self._emulators for key, value in emulator.company().items()}

    def _begin_anew(self) -> Json:
        if self._blank is None:
            answer = self._reset(self._company())
            self._blank = self.store.content()
            return answer
        # tests reset often: restoring rows costs a fifth of creating a company
        self.store.restore(self._blank)
        self._reload()
        return self._answer_to_reset()

    def _reset(self, company: Any) -> Json:
        self._seed(company)
        self._shared.faults.replace([])
        return self._answer_to_reset()

    def _put_back(self, content: Any) -> Json:
        if not isinstance(content, dict) or not set(self.store.tables()).issuperset(content):
            raise ValueError("a content has rows of tables, as GET content gives them")
        self.store.restore(content)
        self._reload()
        self._check_content()
        return self._answer_to_reset()

    def _answer_to_reset(self) -> Json:
        return {"account": self.store.setting("account", {}).get("name")}

    def _seed(self, company: Any) -> None:
        if not isinstance(company, dict):
            raise ValueError("a company is an object with account, emitters and takers")
        self.store.empty()
        self._reload()
        for emulator in self._emulators:
            emulator.seed(company)
        self._check_content()

    def _check_content(self) -> None:
        """Read everything once, so that content of a wrong shape fails here and not in a later request."""
        for emulator in self._emulators:
            emulator.overview()
            emulator.record(Window(1, _WINDOW))

    def _reload(self) -> None:
        self._shared.clock.reload()
        self._shared.faults.reload()
        for emulator in self._emulators:
            emulator.reload()

    def _act(self, asked: Any) -> Json:
        wanted = asked.get("do") if isinstance(asked, dict) else None
        emulator = next((emulator for emulator in self._emulators if wanted in emulator.acts), self._emulators[-1])
        if not isinstance(asked, dict):
            raise ValueError("an act is an object with do")
        return emulator.act(asked)

    def _faults(self, rules: Any) -> list[Json]:
        self._shared.faults.replace(rules)
        return self._shared.faults.rules
