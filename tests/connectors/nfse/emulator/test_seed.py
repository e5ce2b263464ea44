"""The company in a new sandbox."""

from connectors.emulation.documents import is_cnpj, is_cpf
from connectors.emulation.field_tables import load_tables
from connectors.nfse.emulator.seed import default_company
from connectors.nfse.emulator.state import FIELDS_FILE

TABLES, DOCUMENT = load_tables(FIELDS_FILE)


def test_default_company_has_only_documented_fields():
    company = default_company()
    assert set(company["account"]) - {"token"} <= set(TABLES["account"].answer)
    for emitter in company["emitters"]:
        assert is_cnpj(emitter["cnpj"])
        assert emitter["cnpj"].startswith("99")
        assert set(emitter) - {"service_values"} <= set(TABLES["emitter"].fields)
        for template in emitter["service_values"]:
            assert set(template) <= set(TABLES["service_value"].fields)


def test_default_company_has_five_templates_in_each_city():
    rio, paulista = default_company()["emitters"]
    names = ["Mensalidade Sistema", "Consultoria", "Suporte Mensal", "Treinamento", "Licença Anual"]
    for emitter, digits in ((rio, 4), (paulista, 5)):
        assert [template["name"] for template in emitter["service_values"]] == names
        assert {len(template["service_item_code"]) for template in emitter["service_values"]} == {digits}
    assert [template["retained_iss"] for template in rio["service_values"]] == [False] * 5
    assert [template["retained_iss"] for template in paulista["service_values"]] == [False] * 4 + [True]


def test_the_default_company_has_valid_regular_customers(provider):
    takers = default_company()["takers"]
    documents = {taker.get("cpf") or taker["cnpj"] for taker in takers}
    assert len(documents) == len(takers) >= 20
    assert {is_cpf(document) or is_cnpj(document) for document in documents} == {True}
    assert any(not document.isdigit() for document in documents)
    assert provider.get("takers")["count"] == len(takers)
    for taker in takers:
        (shown,) = provider.get(f"takers?{'cpf' if 'cpf' in taker else 'cnpj'}={taker.get('cpf') or taker['cnpj']}")[
            "collection"
        ]
        assert provider.call("PUT", f"/api/v1/takers/{shown['id']}", shown)[:2] == (200, shown)


def test_seeding_makes_it_the_whole_content(provider):
    provider.post_note(1)
    company = {"account": {"id": 7, "uuid": "u", "name": "Outra", "token": "other"}, "emitters": [], "takers": []}
    provider.control("seed", company | {"takers": [{"cnpj": "99ABC001000157", "social_reason": "T"}]})
    status, account, _ = provider.call("GET", "/api/v1", token="other")
    assert (status, account["uuid"], account["emitters"]) == (200, "u", [])
    assert provider.call("GET", "/api/v1/takers?cnpj=99ABC001000157", token="other")[1]["count"] == 1
    assert provider.record()["notes"] == []
    assert provider.call("POST", "/_sandbox/seed", {"emitters": []})[0] == 400
    assert provider.call("GET", "/api/v1", token="other")[0] == 200
