"""An unmodified published client of the service-invoice API against the sandbox."""

from connectors.nfse.emulator.seed import default_company
from tests.clients.environments import driven
from tests.sandboxes import TOKEN, running_sandbox

REFUSED = {
    "taker with both",
    "note over no template",
    "note of another emitter",
    "note of another taker",
    "send an empty batch",
    "cancel an empty batch",
    "delete what was issued",
}


def test_a_published_client_finds_what_it_knows():
    """Absolute links, `Allow`, OPTIONS, the empty Basic password, whole resources sent back with read-only keys."""
    with running_sandbox(advance="at_once") as sandbox:
        met = driven("service_invoices", sandbox.base_url, TOKEN)
        record = sandbox.record()
    assert met["allow"] == "GET, POST, HEAD, OPTIONS"
    assert met["account"] == "Grupo Marés e Aurora"
    assert met["emitters"] == {
        "names": ["Aurora", "Farol da Barra", "Marés"],
        "cnpj": "99000003000192",
        "again": 422,
        "gone": 404,
        "secrets": [],
    }
    customers = len(default_company()["takers"])
    assert met["takers"] == {
        "count": customers + 23,
        "distinct": customers + 23,
        "found": True,
        "saved": "Outro Nome",
        "again": 422,
        "left": customers + 22,
    }
    assert met["service_values"] == {"name": "Aula avulsa", "listed": 1, "rate": "5.00"}
    assert met["batch"] == {
        "staged": list(range(1, 13)),
        "sent": ["scheduled", 12],
        "done": ["processed", 12],
        "history": ["created", "scheduled", "processing", "processed"],
        "again": 422,
        "listed": [True],
    }
    assert met["note"] == {
        "first": "accepted",
        "cancelled": "cancelling",
        "last": "cancelled",
        "accepted": 12,
        "constants": True,
        "missing": 404,
    }
    assert met["stranger"] == 401
    assert record["violations"] == []
    documented = met["documented"]
    refused = {step for step, status in documented.items() if status == 422}
    assert refused == {step for step in documented if " without " in step or step in REFUSED}
    assert {status for step, status in documented.items() if step not in refused} == {0, 404}
    assert [step for step, status in documented.items() if status == 404] == ["another account's emitter"]
    assert len(documented) > 30
