"""Two sample shops, one in Rio and one in São Paulo, both in the simple-national regime.

All of it is invented; the documents are fictional and begin with 99. The ids begin at 61, unlike other resources' ids,
so that a client that mixes ids up fails.
"""

from typing import Any, Final

from connectors.emulation.messages import Json
from connectors.nfe.emulator.state import EmulatorState

TOKEN: Final = "sandbox-product-token"  # noqa: S105 - opens nothing but the sandbox
FIRST_ID: Final = 61
_PLACES: Final = {3304557: ("Rio de Janeiro", "RJ", 20050002), 3550308: ("São Paulo", "SP", 1310100)}


def default_shops() -> list[Json]:
    """Return the initial organizations, in the shape of the control request `seed`."""
    return [
        _shop("Marés Comércio de Utilidades Ltda", "99000051000180", 3304557),
        _shop("Aurora Papelaria e Presentes ME", "99000052000125", 3550308),
    ]


def seed(world: EmulatorState, company: Any) -> None:
    """Store a company's `organizations` (default: both shops) and `product_token` in an empty store."""
    shops = company.get("organizations") if isinstance(company, dict) else None
    world.store.set_setting("product_token", str((company or {}).get("product_token") or TOKEN))
    world.store.run("INSERT INTO organizations (id, body) VALUES (?, '{}')", (FIRST_ID - 1,))
    world.store.run("DELETE FROM organizations WHERE id = ?", (FIRST_ID - 1,))
    world.reload()
    for shop in default_shops() if shops is None else shops:
        world.organizations.add({"certificate": _certificate(), **shop})


def _shop(name: str, cnpj: str, city_code: int) -> Json:
    city, state, zipcode = _PLACES[city_code]
    return {
        "codigo_regime_tributario": 1,
        "razao_social": name,
        "cnpj": cnpj,
        "email": "fiscal@loja.example",
        "inscricao_estadual": cnpj[2:11],
        "nome_fantasia": name.split(maxsplit=1)[0],
        "address": {
            "address": "Rua da Quitanda",
            "number": "100",
            "district": "Centro",
            "city": city,
            "city_code": city_code,
            "state": state,
            "zipcode": zipcode,
        },
    }


def _certificate() -> Json:
    return {"pfx_certificate_file_name": "certificate.pfx", "expires_at": "2027-10-31"}
