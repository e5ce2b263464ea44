"""A published client of the service-invoice API, as it is, against the sandbox."""

from connectors.nfse.twin.seed import default_company
from tests.clients.environments import driven
from tests.sandboxes import TOKEN, running_sandbox


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
    assert (len(record["notes"]), record["violations"]) == (13, [])
