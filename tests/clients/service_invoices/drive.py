"""Drive a published client of the service-invoice API against a sandbox; print the results as JSON.

python drive.py http://127.0.0.1:PORT TOKEN

Runs in a separate environment, without the project's code.
"""

import json
import sys
from typing import Any

import requests
from emites_api.main import Emites, EmitesResource

EMITTER = {
    "email": "fiscal@cliente.example",
    "social_reason": "Farol Treinamentos Ltda",
    "cnpj": "99000003000192",
    "fancy_name": "Farol",
    "city_inscription": "99000003",
    "state": "RJ",
    "city": "Rio de Janeiro",
    "neighborhood": "Centro",
    "street": "da Quitanda",
    "number": 10,
    "zip_code": "20010000",
    "phone": "21999990000",
    "code_tax_regime": 3,
    "certificate": "bm8gY2VydGlmaWNhdGU=",
    "password": "no password",
}
VALUES = {
    "iss_percentage": "5.00",
    "service_item_code": "1701",
    "city_tax_code": "170101",
    "description": "Consultoria",
}


def main(host: str, token: str) -> Any:
    client = Emites(host, token)
    met: dict[str, Any] = {"allow": client.takers._meta["allowed_methods"]}
    account = EmitesResource.load(f"{host}/api/v1", token=token)
    met["account"] = account.resource_data["name"]
    met["emitters"] = _emitters(client)
    met["takers"] = _takers(client)
    met["service_values"] = _service_values(client)
    met["batch"] = _batch(client)
    met["note"] = _note(client)
    met["documented"] = _documented(client)
    met["stranger"] = _status(lambda: list(Emites(host, "no such token").takers.all()))
    return met


def _emitters(client: Emites) -> Any:
    created = client.emitters.create(**EMITTER)
    loaded = client.emitters.get(created.id)
    loaded.fancy_name = "Farol da Barra"
    saved = loaded.save()
    names = sorted(each.fancy_name for each in client.emitters.all())
    again = _status(lambda: client.emitters.create(**EMITTER))
    saved.delete()
    gone = _status(lambda: client.emitters.get(created.id))
    secrets = {"certificate", "password"} & set(saved.resource_data)
    return {"names": names, "cnpj": saved.cnpj, "again": again, "gone": gone, "secrets": sorted(secrets)}


def _takers(client: Emites) -> Any:
    """List more than two pages of takers, then find one by its document and change it as a whole."""
    for number in range(23):
        client.takers.create(cpf=_cpf(number), social_reason=f"Tomador {number:02}", contact={"phone": "21999990000"})
    paged = [taker.id for taker in client.takers.all()]
    (found,) = client.takers.all(cpf=_cpf(7))
    found.social_reason = "Outro Nome"
    saved = found.save()
    again = _status(lambda: client.takers.create(cpf=_cpf(7), social_reason="Ainda Outro"))
    saved.delete()
    return {
        "count": len(paged),
        "distinct": len(set(paged)),
        "found": found.id == saved.id,
        "saved": client_name(saved),
        "again": again,
        "left": len(list(client.takers.all())),
    }


def client_name(resource: Any) -> Any:
    return resource.resource_data["social_reason"]


def _service_values(client: Emites) -> Any:
    created = client.service_values.create(emitter_id=1, name="Aula", **VALUES)
    loaded = client.service_values.get(created.id)
    loaded.name = "Aula avulsa"
    saved = loaded.save()
    names = [each.name for each in client.service_values.all(emitter_id=1)]
    saved.delete()
    return {"name": saved.name, "listed": names.count("Aula avulsa"), "rate": saved.iss_percentage}


def _batch(client: Emites) -> Any:
    batch = client.batches.create(emitter_id=1, name="Lote de um cliente publicado")
    for number in range(1, 13):
        client.nfse.create(batch_id=batch.id, **_note_fields(number))
    loaded = client.batches.get(batch.id)
    staged = [note.number for note in loaded.nfse.all()]
    sent = loaded.send()
    done = client.batches.get(batch.id)
    return {
        "staged": sorted(staged),
        "sent": [sent.status, sent.properties["scheduled"]],
        "done": [done.status, done.properties["accepted"]],
        "history": [entry.to_status for entry in done.history.all()],
        "again": _status(loaded.send),
        "listed": [each.id == batch.id for each in client.batches.all(name="Lote de um cliente publicado")],
    }


def _note(client: Emites) -> Any:
    note = client.nfse.create(**_note_fields(13))
    first = note.status().resource_data["status"]
    cancelled = client.nfse.get(note.id).cancel()
    return {
        "first": first,
        "cancelled": cancelled.resource_data["status"],
        "last": client.nfse.get(note.id).resource_data["status"],
        "accepted": len(list(client.nfse.all(status="accepted"))),
        "constants": bool(client.nfse.constants),
        "missing": _status(lambda: client.nfse.get(999_999)),
    }


def _documented(client: Emites) -> Any:
    """Make the calls of the client's own documentation and tests. Return 0, or the refusal's status, for each."""
    master, taker_id, template_id = _documented_master(client)
    return {**_documented_emitters(client), **master, **_documented_notes(client, taker_id, template_id)}


def _documented_emitters(client: Emites) -> Any:
    met: dict[str, int] = {}
    # A fictional company that no other step creates.
    emitter = {**EMITTER, "cnpj": "99000004000137", "social_reason": "Cais Treinamentos Ltda"}
    for name in ("email", "social_reason", "cnpj", "fancy_name", "city", "number", "phone", "certificate", "password"):
        met[f"emitter without {name}"] = _status(lambda name=name: client.emitters.create(**_without(emitter, name)))
    emitter_id = client.emitters.create(**emitter, state_inscription="ISENTO").id
    met["another account's emitter"] = _status(lambda: client.emitters.get(999_999))
    client.emitters.get(emitter_id).delete()

    return met


def _documented_master(client: Emites) -> tuple[dict[str, int], int, int]:
    """Create takers and templates; return the results and one id of each."""
    met: dict[str, int] = {}
    taker = {
        "cpf": _cpf(40),
        "social_reason": "Pessoa Fictícia",
        "state_inscription": "ISENTO",
        "address": {"state": "RJ", "city_code": 3304557, "number": 42, "street_type": "RUA", "zip_code": "20011020"},
        "contact": {"phone": "21000000000", "email": "fiscal@cliente.example"},
    }
    met["taker with both"] = _status(lambda: client.takers.create(**taker, cnpj="99000003000192"))
    met["taker without either"] = _status(lambda: client.takers.create(**_without(taker, "cpf")))
    met["taker without social_reason"] = _status(lambda: client.takers.create(**_without(taker, "social_reason")))
    taker_id = client.takers.create(**taker).id

    template = {"emitter_id": 1, "name": "Da documentação", "service_amount": "99.99", "iss_percentage": "5.00"}
    for name in ("name", "emitter_id"):
        met[f"template without {name}"] = _status(
            lambda name=name: client.service_values.create(**_without(template, name))
        )
    return met, taker_id, client.service_values.create(**template).id


def _documented_notes(client: Emites, taker_id: int, template_id: int) -> Any:
    """Post notes alone, with a template and in a batch. The documentation sends an empty template id."""
    met: dict[str, int] = {}
    values = {
        "id": "",
        "service_amount": "99.99",
        "iss_percentage": "5.00",
        "iss_amount": "4.99",
        "deduction_amount": "0.00",
        "discount_conditioning_amount": "0.00",
        "calculation_base": "99.99",
        "nfse_liquid_amount": "99.99",
        "service_item_code": "1701",
        "city_tax_code": "170101",
        "cnae_code": "6201-5",
        "city_code": 3304557,
        "description": "Aula",
    }
    note = {"emitter_id": 1, "serie": "TESTE", "emission_date": "2026-11-19T19:04:00", "taker_id": taker_id}

    def issue(sent: dict[str, Any], **more: Any) -> int:
        return _status(lambda: client.nfse.create(**{**note, "service_values": sent, **more}))

    met["note"] = issue(values)
    for name in ("service_amount", "iss_percentage", "service_item_code", "description"):
        met[f"note without {name}"] = issue(_without(values, name))
    for name in ("iss_amount", "nfse_liquid_amount", "cnae_code", "deduction_amount", "calculation_base"):
        met[f"note with {name} left out"] = issue(_without(values, name))
    merged = _without(_without(values, "service_amount"), "iss_percentage")
    met["note over a template"] = issue({**merged, "id": template_id})
    met["note over no template"] = issue({**values, "id": 999_999})
    met["note of another emitter"] = issue(values, emitter_id=999_999)
    met["note of another taker"] = issue(values, taker_id=999_999)

    batch = client.batches.create(emitter_id=1, name="Da documentação")
    loaded = client.batches.get(batch.id)
    met["send an empty batch"] = _status(loaded.send)
    met["cancel an empty batch"] = _status(loaded.cancel)
    waiting = client.nfse.create(**note, service_values=values, batch_id=batch.id)
    met["delete from a batch"] = _status(client.nfse.get(waiting.id).delete)
    issued = client.nfse.create(**note, service_values=values)
    met["delete what was issued"] = _status(client.nfse.get(issued.id).delete)
    client.nfse.create(**note, service_values=values, batch_id=batch.id)
    met["cancel a batch"] = _status(client.batches.get(batch.id).cancel)
    client.service_values.get(template_id).delete()
    return met


def _without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return {each: value for each, value in fields.items() if each != name}


def _note_fields(number: int) -> dict[str, Any]:
    return {
        "emitter_id": 1,
        "serie": "C",
        "number": number,
        "emission_date": "2026-11-20T10:00:00",
        "taker": {"cpf": _cpf(30), "social_reason": "Pessoa Fictícia"},
        "service_values": {"service_amount": 100 + number, **VALUES},
    }


def _cpf(number: int) -> str:
    """Return a fictional CPF that begins with 99."""
    digits = [9, 9, *map(int, f"{number:07}")]
    for _ in range(2):
        rest = sum(digit * weight for digit, weight in zip(digits, range(len(digits) + 1, 1, -1), strict=True)) % 11
        digits.append(0 if rest < 2 else 11 - rest)
    return "".join(map(str, digits))


def _status(ask: Any) -> int:
    """Return the status of the refusal that the client raises; 0 if it raises none."""
    try:
        ask()
    except requests.HTTPError as refused:
        return 0 if refused.response is None else refused.response.status_code
    return 0


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:3])))
