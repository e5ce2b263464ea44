"""The codes of the constants endpoints with labels. The document has the codes; the labels are the sandbox's own."""

from collections.abc import Mapping
from html import escape
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Response
from connectors.nfse.emulator.state import EmulatorState

_OF_EMITTERS: Final = ("code_tax_regime", "emission_kind")
_LABELS: Final[Mapping[str, tuple[str, ...]]] = {
    "street_type": (
        "Estrada", "Passagem", "Cais", "Beco", "Flat", "Ilha", "Caminho", "Lugar", "Recanto", "Campo", "Fazenda",
        "Rodovia", "Praia", "Praça", "Favela", "Boulevard", "Morro", "Jardim", "Escada", "Loteamento", "Travessa",
        "Alameda", "Parque", "Largo", "Ladeira", "Rua", "Vila", "Avenida", "Viaduto", "Servidão",
    ),
    "neighborhood_type": ("Industrial", "Comercial", "Residencial"),
    "rps_situation": ("Normal", "Cancelado", "Extraviado"),
    "special_regime": (
        "Microempresa municipal", "Estimativa", "Sociedade de profissionais", "Cooperativa",
        "Microempresário individual", "Microempresa ou empresa de pequeno porte",
    ),
    "status": ("Criada", "Agendada", "Em processamento", "Emitida", "Rejeitada", "Em cancelamento", "Cancelada"),
    "iss_ellegible": (
        "Não se aplica", "Exigível", "Não incidência", "Isenção", "Exportação", "Imunidade",
        "Suspensa por decisão judicial", "Suspensa por processo administrativo",
    ),
    "taker_special_situation": (
        "Outras", "SUS", "Órgão do poder executivo", "Bancos", "Comércio e indústria",
        "Poder legislativo ou judiciário",
    ),
    "rps_type": ("RPS", "Nota fiscal conjugada", "Cupom"),
    "operation_nature": (
        "Tributação no município", "Tributação fora do município", "Isenção", "Imune",
        "Exigibilidade suspensa por decisão judicial", "Exigibilidade suspensa por procedimento administrativo",
    ),
    "code_tax_regime": ("Simples Nacional", "Simples Nacional com excesso de sublimite", "Regime normal"),
    "emission_kind": ("Notas de serviço", "Notas de produto", "Ambas"),
}  # fmt: skip


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return the handler of each operation of both constants endpoints."""
    constants = Constants(world.document["constants"])
    return {"emitters.constants": constants.of_emitters, "notes.constants": constants.of_notes}


class Constants:
    """Handlers about constants. `codes` are the document's codes by constant name."""

    def __init__(self, codes: Mapping[str, list[str]]) -> None:
        self._known = {name: dict(zip(codes[name], labels, strict=True)) for name, labels in _LABELS.items()}

    def of_emitters(self, call: Call) -> Response:
        return self._answer(call, {name: self._known[name] for name in _OF_EMITTERS})

    def of_notes(self, call: Call) -> Response:
        return self._answer(call, {name: values for name, values in self._known.items() if name not in _OF_EMITTERS})

    @staticmethod
    def _answer(call: Call, known: Mapping[str, Mapping[str, str]]) -> Response:
        """Return labels by code and constant name; with `html=true`, HTML options [A notes 1.33]."""
        asked = [name for name in call.query.get("fields", "").split(",") if name]
        chosen = {name: known[name] for name in asked or known if name in known}
        if call.query.get("html", "").lower() != "true":
            return Response(200, chosen)
        return Response(200, {name: "".join(map(_option, values, values.values())) for name, values in chosen.items()})


def _option(code: str, label: str) -> str:
    return f'<option value="{escape(code)}">{escape(label)}</option>'
