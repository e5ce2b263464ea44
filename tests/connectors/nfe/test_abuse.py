"""Every route of product invoices under abuse, generated from the field tables: a documented answer each time."""

import itertools
import json

import pytest

from tests.connectors import abusing
from tests.connectors.nfe import examples
from tests.connectors.nfe.samples import RIO, TOKEN

OPERATIONS = examples.DOCUMENT["operations"]
HORRORS = [*abusing.ALWAYS, *(value for values in abusing.BY_TYPE.values() for value in values)]
ISSUED = {"nfe.create": "nfe", "nfce.create": "nfce", "nfe.authorize": "nfe_signed", "nfce.authorize": "nfce_signed"}
BATCHES = {
    "nfe_batch.create": "nfe_batch",
    "nfce_batch.create": "nfce_batch",
    "nfe_batch.authorize": "nfe_batch_signed",
    "nfce_batch.authorize": "nfce_batch_signed",
}
SHOP = examples.group("organization") | {
    "cnpj": "99000053000170",
    "address": examples.group("organization_address"),
}
# Operation → an acceptable body without its wrapper, and its table.
FLAT = {
    "organizations.create": (
        examples.group("organization") | {"cnpj": "99000053000170", "address": {}},
        "organization",
    ),
    "certificates.upload": ({"password": "x", "file": "eA=="}, "certificate"),
    "nfe.cancel": ({"motivo": "x" * 15}, "cancel"),
    "nfce.cancel": ({"motivo": "x" * 15}, "cancel"),
    "nfe.correct": ({"correcao": "x" * 15}, "correction"),
    "nfe.disable": ({"serie": 1, "numero": 7, "motivo": "x" * 15}, "disable"),
    "numerations.create": ({"serie": 1, "last_number": 7}, "numeration"),
}
WRAPPERS = {"organizations.create": "organization", "numerations.create": "nfe_numeration"}


@pytest.fixture
def line(sandbox):
    sandbox.switch(product_advance="at_once")
    opened = abusing.Line(sandbox.base_url, f"Token token={TOKEN}")
    for kind in ("nfe", "nfce"):
        opened.send("POST", f"/api/v1/organizations/{RIO}/{kind}", {kind: examples.invoice(kind, is_whole=False)})
    yield opened
    opened.close()


def place(operation):
    """Return the path for the Rio shop and the first invoice of the kind."""
    key = "2" if operation.startswith("nfce") else "1"
    return OPERATIONS[operation]["path"].replace("{id}", str(RIO)).replace("{key}", key)


def wrapped(operation, body):
    key = WRAPPERS.get(operation) or (operation.partition(".")[0] if operation in {**ISSUED, **BATCHES} else None)
    return {key: body} if key else body


def whole(operation):
    if operation in ISSUED:
        kind = operation.partition(".")[0]
        signed = {"xml_assinado": "<x/>"} if ISSUED[operation] != kind else {}
        return examples.invoice(kind) | signed
    kind = operation.partition("_")[0]
    made = examples.group(BATCHES[operation]) | {"serie": 3, "sincronicidade": 1}
    return made | {f"{kind}s": [examples.invoice(kind, is_whole=False)]}


def is_documented(answer, operation):
    status, body, _ = answer
    if status in (400, 422):
        return is_refusal(body)
    if status in (404, 405, 415):
        return list(body) == ["detail"]
    return status == OPERATIONS[operation]["success"]


def is_refusal(body):
    """Return whether the body has `errors` as a list of objects, field → messages, and `error_details` beside it."""
    return set(body) <= {"errors", "error_details"} and all(
        len(entry) == 1 and all(abusing.is_words(messages) for messages in entry.values()) for entry in body["errors"]
    )


@pytest.mark.parametrize("operation", [*ISSUED, *BATCHES])
def test_each_abused_place_gets_a_documented_answer(line, operation):
    """Try two horrors at each place, all of them in turn; and leave each place out. Each operation begins elsewhere."""
    base, statuses = whole(operation), set()
    turn = itertools.islice(itertools.cycle(HORRORS), 2 * [*ISSUED, *BATCHES].index(operation), None)
    for path in examples.places(base):
        changes = [next(turn) for _ in range(2)]
        for change in [*changes, ...] if path else changes:
            body = wrapped(operation, examples.replaced(base, path, change))
            answer = line.send("POST", place(operation), body)
            assert is_documented(answer, operation), (path, change, answer)
            statuses.add(answer[0])
    assert statuses == {201, 400, 422}


@pytest.mark.parametrize("operation", FLAT)
def test_each_abused_field_gets_a_documented_answer(line, operation):
    base, table = FLAT[operation]
    for body in abusing.bodies(base, examples.fields_of(table)):
        answer = line.send(OPERATIONS[operation]["method"], place(operation), wrapped(operation, body))
        assert is_documented(answer, operation), (body, answer)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_any_bytes_get_a_documented_answer(line, operation):
    for raw in abusing.RAW:
        for media in abusing.MEDIA[:2] if raw else abusing.MEDIA:
            answer = line.ask(OPERATIONS[operation]["method"], place(operation), raw, media=media)
            assert is_documented(answer, operation), (raw[:40], answer)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_any_path_and_query_get_a_documented_answer(line, operation):
    row = OPERATIONS[operation]
    body = wrapped(operation, FLAT[operation][0] if operation in FLAT else {})
    for path in abusing.paths(row["path"]):
        answer = line.send(row["method"], path, body)
        assert is_documented(answer, operation), (path, answer)
    if row["method"] != "GET":
        return
    for name in (*row.get("filters", ()), "unknown"):
        for word in abusing.WORDS:
            answer = line.ask("GET", f"{place(operation)}?{name}={word}")
            assert is_documented(answer, operation), (name, word, answer)


@pytest.mark.parametrize("shape", ["list", "object", "text", "texts"])
def test_errors_have_the_chosen_shape(line, sandbox, shape):
    sandbox.switch(product_errors=shape)
    status, body, _ = line.send("POST", place("nfe.create"), {"nfe": {}})
    kinds = {"list": list, "object": dict, "text": str, "texts": list}
    assert (status, type(body["errors"])) == (422, kinds[shape])


@pytest.mark.parametrize("header", abusing.HEADERS)
def test_wrong_tokens_get_a_401(line, header):
    status, body, _ = line.ask("GET", place("organizations.list"), header=header)
    assert (status, json.dumps(body)) == (401, '{"errors": "Bad credentials"}')
