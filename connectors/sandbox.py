"""The sandbox: the providers' twins as one server on a loopback socket, with their state in one file.

    python -m connectors.sandbox --port 0 --state FILE --port-file FILE [--switch NAME=VALUE …]

Service invoices are under `/api/v1`; the token is "sandbox-token" with any password. Product invoices are under
`/api/v1/organizations`; their token is "sandbox-product-token". The order service is under the rest of `/api`; its
consumer is "sandbox-consumer", the password "sandbox-secret". Killed and started again on the same file, it is the same
provider. Under `/_sandbox` (no token) it is steered, in JSON; a 400 `{"detail"}` says what is wrong:

* GET `record` → notes, batches, violations, requests_by_operation; with `?requests=1`, `?history=1` each of them too
* POST `reset` → everything as at the first start, switches and faults too
* POST `seed`, a company as `connectors.nfse.twin.seed.default_company` gives it → reset, with that company; its shops
  are those under `organizations`, or those of `connectors.nfe.twin.seed.default_shops`, its orders those under `sales`,
  or those of `connectors.orders.twin.seed.default_sales`
* GET or POST `switches`, `{name: value}` as in `connectors.nfse.twin.switches` and `connectors.nfe.twin.switches` →
  all switches
* GET or POST `faults`, `[{operation, kind, …}]` as in `connectors.twins.faults`, in place of the earlier ones; `[]` for
  none → the rules with `seen` and `applied`
* POST `act`, what a person does in the web page → the ids. `{do: send | cancel_batch, batch_id}`,
  `{do: delete | cancel, note_id}`, `{do: edit, note_id, fields, service_values}`,
  `{do: add, batch_id | note_id, serie, number}` (a copy of a note, by default with the next number), and of product
  invoices `{do: cancel_product | add_product, invoice_id, serie, number}`; at the seller whatever
  `connectors.orders.twin.clerk` does
* POST `clock`, `{ahead_s: n}` → the provider's clock is put ahead by n more seconds

Violations: `duplicate_rps` (a number posted again), `issued_twice` (two notes of one number sent), `silently_cancelled`
(São Paulo cancelled the earlier one), `attached_after_send`; of product invoices `duplicate_product_number`,
`duplicate_remote_id`, `product_issued_twice`.
"""

import argparse
import os
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from connectors.nfe.twin.branch import SCHEMA as PRODUCT_SCHEMA
from connectors.nfe.twin.branch import ProductBranch
from connectors.nfse.twin import account, batches, city, emitters, notes, service_values, takers
from connectors.nfse.twin.office import Office
from connectors.nfse.twin.seed import TOKEN, default_company, seed
from connectors.nfse.twin.world import SCHEMA, World
from connectors.orders.twin.branch import SCHEMA as ORDER_SCHEMA
from connectors.orders.twin.branch import OrderBranch
from connectors.twins.answers import Answer, Json
from connectors.twins.branch import Branch, Premises, dispatch
from connectors.twins.desk import Desk, by_token, resources
from connectors.twins.faults import Faults
from connectors.twins.store import Store
from connectors.twins.trouble import Trouble
from connectors.twins.wire import Wire, watched_protocol

_NOUNS: Final = (account, emitters, service_values, takers, batches, notes)
_BACKLOG: Final = 2048
_KEEP_ALIVE_S: Final = 75


def build_sandbox(state: Path | None = None, *, company: Json | None = None, wire: Wire | None = None) -> Starlette:
    """The twin as an ASGI application. `state` None keeps it in memory; `company` is the content of a first start.

    Without the `wire` of a real server, connection faults only leave requests unanswered.
    """
    return _assemble(state, company=company, wire=wire)[0]


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8787,
    state: Path | None = None,
    port_file: Path | None = None,
    switches: Json | None = None,
    on_ready: Callable[[int], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Port 0 takes a free one; once connections queue, `port_file` gets its number.

    `on_ready` is called with it, too. Raises `OSError` for a port in use, `sqlite3.OperationalError` for a state file
    that another sandbox holds.
    """
    server = prepare(host=host, port=port, state=state, switches=switches)
    if port_file is not None:
        written = port_file.with_suffix(f".{os.getpid()}")
        written.write_text(f"{server.port}\n", encoding="ascii")
        written.replace(port_file)
    if on_ready is not None:
        on_ready(server.port)
    server.run()


class SandboxServer:
    """A sandbox whose socket listens already: connections queue, and are answered while it runs."""

    def __init__(self, server: uvicorn.Server, listening: socket.socket, store: Store) -> None:
        self._server, self._listening, self._store = server, listening, store
        self.port: int = listening.getsockname()[1]

    def run(self) -> None:
        """Answer until `stop`, or SIGINT or SIGTERM where this is the main thread; then let go of the state file."""
        try:
            self._server.run(sockets=[self._listening])
        finally:
            self._listening.close()
            self._store.close()

    def stop(self) -> None:
        """Ask a server that runs in another thread to end."""
        self._server.should_exit = True


def prepare(
    *, host: str = "127.0.0.1", port: int = 0, state: Path | None = None, switches: Json | None = None
) -> SandboxServer:
    """A server that listens; `run` it. Raises as `serve` does."""
    wire = Wire()
    app, control = _assemble(state, company=None, wire=wire)
    control.switch(switches or {})
    config = uvicorn.Config(
        app,
        http=watched_protocol(wire),
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=1,
    )
    return SandboxServer(uvicorn.Server(config), _listen(host, port), control.store)


def _listen(host: str, port: int) -> socket.socket:
    # The protocol is named on purpose: asyncio turns off Nagle's delay (40 ms an answer) only on sockets that name it
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    listening.listen(_BACKLOG)
    return listening


def _assemble(state: Path | None, *, company: Json | None, wire: Wire | None) -> tuple[Starlette, "Control"]:
    if state is not None:
        state.parent.mkdir(parents=True, exist_ok=True)
    store = Store(str(state) if state else None, SCHEMA + PRODUCT_SCHEMA + ORDER_SCHEMA)
    faults = Faults(store.setting("faults", []), lambda rules: store.set_setting("faults", rules))
    world, trouble = World(store, faults), Trouble(wire)
    premises = Premises(store, faults, trouble, world.now, lambda: world.switches["fixed_latency_ms"])
    branches = (ProductBranch(premises), OrderBranch(premises))
    if wire is not None:
        wire.greet = lambda: (faults.choose("connection") or {}).get("kind")
    office = Office(world)
    handlers = {name: handler for noun in _NOUNS for name, handler in noun.handlers(world).items()}

    def act(asked: Json, answer: Answer) -> None:
        if answer.status < 300:
            office.act(asked, answer)

    desk = Desk(
        store=store,
        faults=faults,
        trouble=trouble,
        paths=resources(world.document["operations"], handlers),
        before=lambda: city.advance(world),
        act=act,
        admit=by_token(lambda token: token == world.account.get("token", TOKEN)),
        latency_ms=premises.latency_ms,
        now=world.now,
    )
    control = Control(world, office, branches, company)
    control.seed_at_first()
    steering = Route("/_sandbox/{verb}", control.take, methods=["GET", "POST"])
    return Starlette(routes=[steering, Mount("/", app=dispatch(branches, desk))]), control


class Control:
    """The verbs that steer the sandbox."""

    def __init__(self, world: World, office: Office, branches: tuple[Branch, ...], company: Json | None) -> None:
        self._world, self._office, self._branches = world, office, branches
        self._first = company or default_company()
        self._verbs: dict[tuple[str, str], Callable[[Any, Any], Any]] = {
            ("GET", "record"): lambda _, query: self._record(query),
            ("POST", "reset"): lambda *_: self._reset(self._first),
            ("POST", "seed"): lambda body, _: self._reset(body),
            ("GET", "switches"): lambda *_: self.switch({}),
            ("POST", "switches"): lambda body, _: self.switch(body),
            ("GET", "faults"): lambda *_: world.faults.rules,
            ("POST", "faults"): lambda body, _: self._faults(body),
            ("POST", "act"): lambda body, _: self._act(body),
            ("POST", "clock"): lambda body, _: {"ahead_s": world.put_ahead(float(body["ahead_s"]))},
        }

    @property
    def store(self) -> Store:
        return self._world.store

    def seed_at_first(self) -> None:
        """Give a new state file its content."""
        if not self._world.account:
            with self.store.transaction():
                self._seed(self._first)

    def switch(self, changes: Json) -> Json:
        """Change switches of any twin; all of them. Raises `ValueError` in words."""
        rest, found = dict(changes), {}
        for branch in self._branches:
            own = {name: rest.pop(name) for name in list(rest) if name.startswith(branch.switch_prefix)}
            found.update(branch.switch(own))
        return {**self._world.switch(rest), **found}

    async def take(self, request: Request) -> JSONResponse:
        verb = self._verbs.get((request.method, request.path_params["verb"]))
        if verb is None:
            return JSONResponse({"detail": "no such verb"}, status_code=404)
        try:
            body = await request.json() if await request.body() else None
            with self._world.store.transaction():
                self._advance()
                answer = verb(body, request.query_params)
        except (ValueError, TypeError, KeyError) as wrong:
            self._reload()
            return JSONResponse({"detail": str(wrong)}, status_code=400)
        return JSONResponse(answer)

    def _record(self, query: Any) -> Json:
        found = self._office.record(requests=query.get("requests") == "1", history=query.get("history") == "1")
        return found | {key: value for branch in self._branches for key, value in branch.record().items()}

    def _reset(self, company: Json) -> Json:
        self._seed(company)
        self._world.faults.replace([])
        return {"account": self._world.account.get("name")}

    def _seed(self, company: Json) -> None:
        seed(self._world, company)
        for branch in self._branches:
            branch.seed(company)

    def _advance(self) -> None:
        city.advance(self._world)
        for branch in self._branches:
            branch.advance()

    def _reload(self) -> None:
        self._world.reload()
        for branch in self._branches:
            branch.reload()

    def _act(self, asked: Any) -> Json:
        wanted = asked.get("do") if isinstance(asked, dict) else None
        branch = next((branch for branch in self._branches if wanted in branch.acts), self._office)
        return branch.act(asked)

    def _faults(self, rules: Any) -> list[Json]:
        self._world.faults.replace(rules)
        return self._world.faults.rules


def _switch(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        return name, value


def main() -> None:
    parser = argparse.ArgumentParser(description="The providers' sandbox on a loopback socket.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8787, help="0 takes a free one")
    parser.add_argument("--state", type=Path, help="SQLite file; without it everything is forgotten at the end")
    parser.add_argument("--port-file", type=Path, help="gets the port's number once connections are accepted")
    parser.add_argument("--switch", action="append", default=[], type=_switch, metavar="NAME=VALUE")
    asked = parser.parse_args()
    try:
        serve(
            host=asked.host,
            port=asked.port,
            state=asked.state,
            port_file=asked.port_file,
            switches=dict(asked.switch),
        )
    except sqlite3.OperationalError as wrong:
        parser.exit(1, f"{asked.state}: is another sandbox running on it? ({wrong})\n")
    except OSError as wrong:
        parser.exit(1, f"port {asked.port}: {wrong}\n")
    except ValueError as wrong:
        parser.exit(1, f"{wrong}\n")


if __name__ == "__main__":
    main()
