"""Constants: code to label, as data or as HTML options."""


def test_constants_by_name(provider):
    found = provider.get("nfse/constants?fields=status,rps_type")
    assert set(found) == {"status", "rps_type"}
    assert found["status"]["accepted"] == "Emitida"
    assert set(provider.get("emitters/constants")) == {"code_tax_regime", "emission_kind"}
    assert "code_tax_regime" not in provider.get("nfse/constants")
    assert provider.get("nfse/constants?fields=nonsense") == {}


def test_constants_are_given_as_html_options(provider):
    found = provider.get("emitters/constants?fields=emission_kind&html=true")
    assert found["emission_kind"].startswith('<option value="nfse">')
    assert found["emission_kind"].count("</option>") == 3
    assert provider.get("emitters/constants?html=false")["emission_kind"]["nfe"]
