"""Documents: anybody who has the address can open them without a token, and nobody else."""

import urllib.error
import urllib.request
from xml.etree import ElementTree as ET

import pytest


def opened(url):
    """Return status, media type and content, asked without credentials."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=300) as answer:
            return answer.status, answer.headers["content-type"], answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers["content-type"], refused.read()


@pytest.fixture
def documents(provider):
    taker = {"cpf": "00000000191", "social_reason": "Ana <& Filhos>\x07 (Ltda)"}
    provider.post_note(1, taker=taker, service_values={"description": "Manutenção (mês) \\o/"})
    provider.get("nfse/1")
    return {kind: provider.call("GET", f"/api/v1/nfse/1/{kind}")[2]["location"] for kind in ("mirror", "xml", "pdf")}


def test_the_xml_can_be_read(documents):
    status, media, content = opened(documents["xml"])
    root = ET.fromstring(content)
    assert (status, media, root.tag) == (200, "application/xml", "nfse")
    facts = {fact.tag: fact.text for fact in root}
    assert facts["tomador"] == "Ana <& Filhos>  (Ltda)"
    assert (facts["numero"], facts["rps"], facts["valor"], facts["iss"]) == ("1", "F/1", "1000.00", "50.00")


def test_the_mirror_is_a_page(documents):
    status, media, content = opened(documents["mirror"])
    assert (status, media) == (200, "text/html; charset=utf-8")
    assert "Ana &lt;&amp; Filhos&gt;" in content.decode()


def test_the_pdf_is_a_pdf(documents):
    status, media, content = opened(documents["pdf"])
    assert (status, media) == (200, "application/pdf")
    assert content.startswith(b"%PDF-1.4")
    assert content.rstrip().endswith(b"%%EOF")
    assert rb"Manuten\347\343o" not in content
    assert "Manutenção".encode("cp1252") in content
    start = int(content.rsplit(b"startxref", 1)[1].split()[0])
    assert content[start:].startswith(b"xref")
    places = [int(line[:10]) for line in content[start:].split(b"\n")[3:8]]
    assert all(content[place:].startswith(b"%d 0 obj" % number) for number, place in enumerate(places, 1))


@pytest.mark.parametrize(
    "path", ["/documents/", "/documents/1-AAAA.pdf", "/documents/1.pdf", "/documents/../api/v1", "/documents/1-A.exe"]
)
def test_no_url_of_a_document_can_be_guessed(provider, documents, path):
    assert opened(f"{provider.base_url}{path}")[0] == 404
    assert opened(documents["pdf"].replace("/1-", "/2-"))[0] == 404
