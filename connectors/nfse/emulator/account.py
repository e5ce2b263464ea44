"""The account, and how much of its plan is used."""

from collections.abc import Mapping

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Answer, Call
from connectors.nfse.emulator.emitters import Emitters
from connectors.nfse.emulator.state import World


def handlers(world: World) -> Mapping[str, Handler]:
    """Return the handler of each operation of the account."""
    return {"account.read": AccountAnswers(world).read}


class AccountAnswers:
    def __init__(self, world: World) -> None:
        self._world, self._emitters = world, Emitters(world)

    def read(self, call: Call) -> Answer:
        shown = [self._emitters.shown(call, emitter) for emitter in self._world.emitters.find({})]
        account = {name: value for name, value in self._world.account.items() if name != "token"}
        return Answer(200, {**account, "emission_count": self._world.emission_count(), "emitters": shown})
