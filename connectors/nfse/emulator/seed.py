"""A sample company: one account, an emitter in Rio and one in São Paulo, with five templates each.

All of it is invented; the documents are fictional and begin with 99.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from connectors.emulation.documents import is_cnpj, is_cpf
from connectors.emulation.messages import Json
from connectors.nfse.emulator.emitters import with_place
from connectors.nfse.emulator.state import EmulatorState

TOKEN: Final = "sandbox-token"  # noqa: S105 - opens nothing but the sandbox

_RATES: Final[dict[str, Json]] = {
    "Mensalidade Sistema": {"iss_percentage": "2.00"},
    "Consultoria": {
        "iss_percentage": "5.00",
        "pis_percentage": "0.65",
        "cofins_percentage": "3.00",
        "ir_percentage": "1.50",
        "csll_percentage": "1.00",
        "ir_limit": "666.67",
        "pcc_limit": "215.05",
        "highlight_retentions": ["ir_amount", "pis_amount", "cofins_amount", "csll_amount"],
    },
    "Suporte Mensal": {"iss_percentage": "2.90", "ir_percentage": "1.50", "ir_limit": "666.67"},
    "Treinamento": {"iss_percentage": "5.00", "inss_percentage": "11.00"},
    "Licença Anual": {"iss_percentage": "2.00"},
}
_DESCRIPTIONS: Final = {
    "Mensalidade Sistema": "Mensalidade de uso do sistema de gestão",
    "Consultoria": "Serviços de consultoria em processos",
    "Suporte Mensal": "Suporte técnico mensal",
    "Treinamento": "Treinamento de equipes",
    "Licença Anual": "Licenciamento anual de software",
}
_RIO_CODES: Final = {
    "Mensalidade Sistema": ("0105", "010501"),
    "Consultoria": ("1701", "170101"),
    "Suporte Mensal": ("0107", "010701"),
    "Treinamento": ("0802", "080201"),
    "Licença Anual": ("0105", "010502"),
}
_SAO_PAULO_CODES: Final = {
    "Mensalidade Sistema": ("02798", None),
    "Consultoria": ("03115", None),
    "Suporte Mensal": ("02919", None),
    "Treinamento": ("05762", None),
    "Licença Anual": ("02800", None),
}
_TAKERS: Final = 24
_TRADES: Final = ("Padaria do Porto", "Clínica Boa Vista", "Oficina Ipê", "Livraria Horizonte", "Escola Jacarandá")
_PEOPLE: Final = ("Ana Prado Reis", "Bruno Teles", "Clara Moura", "Davi Couto", "Elisa Rangel", "Fábio Nery")
_PLACES: Final = (
    ("Rio de Janeiro", "RJ", 3304557, "20010000"),
    ("São Paulo", "SP", 3550308, "01010000"),
    ("Recife", "PE", 2611606, "50010000"),
)


def default_company() -> Json:
    """Return the sample company in the shape of the control request `seed`."""
    return {
        "account": {
            "id": 1,
            "uuid": "5f0c7a52-99a1-4b0e-8c3e-000000000001",
            "name": "Grupo Marés e Aurora",
            "expiration_date": None,
            "max_emissions": "Ilimitado",
            "plan": {"name": "Ilimitado", "slug": "ilimitado"},
            "token": TOKEN,
        },
        "emitters": [
            _emitter("Marés Consultoria Ltda", "99000001000101", "Rio de Janeiro", "RJ", "21")
            | {"service_values": _templates(_RIO_CODES, retains_iss=False)},
            _emitter("Aurora Serviços Digitais S.A.", "99000002000148", "São Paulo", "SP", "11")
            | {"service_values": _templates(_SAO_PAULO_CODES, retains_iss=True)},
        ],
        "takers": [_taker(number) for number in range(_TAKERS)],
    }


def seed(world: EmulatorState, company: Any) -> None:
    """Store a company's account, emitters and takers in an empty store. Raises `ValueError` without an account."""
    if not isinstance(company, dict) or not isinstance(company.get("account"), dict):
        raise ValueError("a company is an object with account, emitters and takers")
    world.store.set_setting("account", {"token": TOKEN, **company["account"]})
    world.reload()
    for row in company.get("emitters", []):
        emitter = {name: value for name, value in row.items() if name != "service_values"}
        defaults = world.tables["emitter"].defaults()
        stored = world.emitters.add(with_place(world, {**defaults, **emitter}))
        for template in row.get("service_values", []):
            defaults = world.tables["service_value"].defaults()
            world.templates.add({**defaults, **template, "emitter_id": stored["id"]})
    for taker in company.get("takers", []):
        parts = {
            part: {**world.tables[f"taker_{part}"].defaults(), **taker[part]}
            for part in ("address", "contact")
            if taker.get(part)
        }
        defaults = world.tables["taker"].defaults()
        world.takers.add({**defaults, **taker, **parts, "account_id": world.account.get("id")})


def _emitter(name: str, cnpj: str, city: str, state: str, ddd: str) -> Json:
    return {
        "email": "financeiro@exemplo.invalid",
        "social_reason": name,
        "cnpj": cnpj,
        "fancy_name": name.split(maxsplit=1)[0],
        "city_inscription": cnpj[:8],
        "state": state,
        "city": city,
        "neighborhood": "Centro",
        "street_type": "RUA",
        "street": "da Quitanda",
        "number": "100",
        "zip_code": "20010000" if state == "RJ" else "01010000",
        "phone": f"{ddd}999990000",
        "code_tax_regime": 3,
    }


def _taker(number: int) -> Json:
    """Return a sample customer: every third is a person, every ninth a company with letters in its CNPJ."""
    is_person = number % 3 == 2
    city, state, code, zip_code = _PLACES[number % len(_PLACES)]
    name = _PEOPLE[number % len(_PEOPLE)] if is_person else f"{_TRADES[number % len(_TRADES)]} {number + 1:02} Ltda"
    return {
        **({"cpf": _document(number, is_person=True)} if is_person else {"cnpj": _document(number, is_person=False)}),
        "social_reason": name,
        "fancy_name": None if is_person else name.removesuffix(" Ltda"),
        "is_complete": True,
        "address": {
            "street_type": "RUA",
            "street": "das Palmeiras",
            "number": str(10 + 7 * number),
            "neighborhood_type": "RED",
            "neighborhood": "Centro",
            "city": city,
            "city_code": code,
            "state": state,
            "zip_code": zip_code,
            "country": "Brasil",
            "country_code": "01058",
            "country_abbreviation": "BR",
        },
        "contact": {"email": f"contas{number + 1:02}@cliente.example", "phone": "2125550000"},
    }


@cache
def _document(number: int, *, is_person: bool) -> str:
    """Return a fictional unused document: try check digits until they are valid."""
    letters = "AB" if number % 9 == 0 else "77"
    stem = f"9977{number:05d}" if is_person else f"99{letters}{number:04d}0001"
    is_right = is_cpf if is_person else is_cnpj
    return next(text for digits in range(100) if is_right(text := f"{stem}{digits:02d}"))


def _templates(codes: Mapping[str, tuple[str, str | None]], *, retains_iss: bool) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "description": _DESCRIPTIONS[name],
            "service_item_code": codes[name][0],
            "city_tax_code": codes[name][1],
            "retained_iss": retains_iss and name == "Licença Anual",
            **rates,
        }
        for name, rates in _RATES.items()
    ]
