"""The sandbox, as good as new for each test, and plain calls to its product side."""

from typing import Any

import pytest

from tests.connectors.nfe.samples import RIO, SECRETS, TOKEN, content
from tests.sandboxes import RunningSandbox

HOME = "/api/v1/organizations"


class Shop(RunningSandbox):
    """The sandbox with the usual first steps of tests."""

    def ask(self, method: str, path: str = "", body: Any = None, *, header: str = f"Token token={TOKEN}") -> Any:
        """Return status and JSON of a request below the organizations."""
        return self._exchange(method, f"{HOME}{path}", body, {"Authorization": header})[:2]

    def post(
        self, kind: str = "nfe", number: int | None = 1, *, serie: int = 1, shop: int = RIO, **changes: Any
    ) -> Any:
        """Return status and JSON of a posted invoice."""
        invoice = content(**changes)
        secrets = SECRETS if kind == "nfce" else {}
        invoice["dados_gerais"] = {**invoice["dados_gerais"], "serie": serie, "nfe_numero": number, **secrets}
        return self.ask("POST", f"/{shop}/{kind}", {kind: invoice})

    def posted(self, kind: str = "nfe", number: int | None = 1, **more: Any) -> int:
        """Return the id of an accepted invoice."""
        status, body = self.post(kind, number, **more)
        assert status == 201, body
        return int(body[kind]["id"])

    def found(self, key: int | str, kind: str = "nfe") -> Any:
        status, body = self.ask("GET", f"/{RIO}/{kind}/{key}")
        assert status == 200, body
        return body[kind]

    def wrong(self, **changes: Any) -> set[str]:
        """Return the fields named in a refusal."""
        status, body = self.post(**changes)
        assert status == 422, body
        return {field for error in body["errors"] for field in error}

    def violations(self) -> list[str]:
        return [violation["kind"] for violation in self.record()["violations"]]


@pytest.fixture
def shop(sandbox: RunningSandbox) -> Shop:
    sandbox.switch(product_advance="at_once")
    return Shop(sandbox.base_url)
