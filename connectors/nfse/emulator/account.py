"""The account, and how much of its plan is used."""

from collections.abc import Mapping

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Response
from connectors.nfse.emulator.emitters import Emitters
from connectors.nfse.emulator.state import EmulatorState


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return the handler of each operation of the account."""
    return {"account.read": AccountAnswers(world).read}


class AccountAnswers:
    def __init__(self, world: EmulatorState) -> None:
        self._world, self._emitters = world, Emitters(world)

    def read(self, call: Call) -> Response:
        shown = [self._emitters.shown(call, emitter) for emitter in self._world.emitters.find({})]
        account = {name: value for name, value in self._world.account.items() if name != "token"}
        return Response(200, {**account, "emission_count": self._world.emission_count(), "emitters": shown})
