"""The account, and the codes that the constants endpoints return."""

from collections.abc import Mapping

from connectors.nfse.twin.emitters import Emitters
from connectors.nfse.twin.world import World
from connectors.twins.answers import Answer, Call
from connectors.twins.desk import Handler


def handlers(world: World) -> Mapping[str, Handler]:
    """Operation → handler for the account and for reference data."""
    emitters = Emitters(world)
    return {
        "account.read": lambda call: _account(world, emitters, call),
        "emitters.constants": lambda call: _constants(world, call),
        "notes.constants": lambda call: _constants(world, call),
    }


def _account(world: World, emitters: Emitters, call: Call) -> Answer:
    issued = world.store.one("SELECT COUNT(*) FROM notes WHERE sent_at IS NOT NULL")[0]
    shown = [emitters.shown(call, emitter) for emitter in world.emitters.find({})]
    account = {name: value for name, value in world.account.items() if name != "token"}
    return Answer(200, {**account, "emission_count": issued, "emitters": shown})


def _constants(world: World, call: Call) -> Answer:
    """Codes by constant name; `fields` chooses among them. Labels are not documented, so a code is its own label."""
    asked = [name for name in call.query.get("fields", "").split(",") if name]
    known: Mapping[str, list[str]] = world.document["constants"]
    return Answer(200, {name: {code: code for code in known[name]} for name in asked or known if name in known})
