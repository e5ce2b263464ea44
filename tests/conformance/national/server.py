"""The national service on a real socket: it issues a signed declaration at once, and never the same key twice.

It shares no code with the issuer. `/_sandbox/<verb>` controls it with verbs of our sandbox: `switches` (answers once
all earlier work is done), `record`, and `faults`, a list of `{operation, kind, count, share, after, seed, seconds}`:

* `lose_answer`: issued, connection closed; `close_after`: not issued, closed
* `held`: closed, issued after `seconds` or, without any, at a `release`
* `release`: the true answer, after all held declarations are issued
* `late`: issued, answered after `seconds`
* `hang`: issued, no answer until the client leaves
* `status_503`: not issued; `status_500`: issued
"""

import hashlib
import hmac
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

TOKEN: Final = "national-token"
SIGNING_KEY: Final = "national-signing-key"
RIO: Final = "99000001000101"
SAO_PAULO: Final = "99000002000148"
_TAXPAYERS: Final = (
    {"inscricao": 1, "CNPJ": RIO, "xNome": "Faturista Rio Ltda", "cMun": "3304557"},
    {"inscricao": 2, "CNPJ": SAO_PAULO, "xNome": "Faturista São Paulo Ltda", "cMun": "3550308"},
)
_FIRST_NSU: Final = 7_000_000_001
FORBIDDEN_WORD: Final = "palavra proibida"
"""A description with this word is refused."""

Json = dict[str, Any]


class _Refusal(Exception):
    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.body = status, {"erros": [{"codigo": code, "descricao": text}]}


class Service:
    """The service's data; call every method under its lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.issued: dict[str, Json] = {}
        self.requests: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.rules: list[Json] = []
        self.timers: list[threading.Timer] = []
        self.waiting: list[Json] = []

    def fault(self, operation: str) -> Json | None:
        """Return the first rule that applies to this request; every matching rule counts it."""
        chosen = None
        for rule in self.rules:
            if rule["operation"] != operation:
                continue
            rule["seen"] += 1
            if rule["seen"] <= rule.get("after", 0) or chosen is not None:
                continue
            if "share" in rule:
                is_due = random.Random(f"{rule.get('seed', 0)}:{rule['seen']}").random() < rule["share"]
            else:
                is_due = rule["applied"] < rule.get("count", 1)
            if is_due:
                rule["applied"] += 1
                chosen = rule
        return chosen

    def issue(self, body: Json) -> Json:
        """Issue the declaration of a body. Raises `_Refusal`."""
        text = str(body.get("dps"))
        signature = hmac.new(SIGNING_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()
        if not hmac.compare_digest(signature, str(body.get("assinatura"))):
            raise _Refusal(422, "E0714", "assinatura inválida")
        document = json.loads(text)
        key = f"DPS{document['cLocEmi']}2{document['prest']['CNPJ']}{document['serie']:0>5}{document['nDPS']:015}"
        if key != document["id"]:
            raise _Refusal(422, "E0004", "identificador não corresponde aos campos")
        if key in self.issued:
            self.refused["E0014"] += 1
            raise _Refusal(422, "E0014", "DPS já recebida")
        if FORBIDDEN_WORD in document["serv"]["xDescServ"]:
            self.refused["E0300"] += 1
            raise _Refusal(422, "E0300", "descrição do serviço inválida")
        place = len(self.issued)
        self.issued[key] = {
            "nsu": _FIRST_NSU + place,
            "nNFSe": 1_001 + place,
            "chave": f"{document['cLocEmi']}{document['prest']['CNPJ']}{place + 1:029}",
            "situacao": "emitida",
            "dhProc": datetime.now(UTC).isoformat(),
            "dps": document,
        }
        return self.issued[key]

    def answer(self, method: str, path: str, body: Json) -> tuple[int, Json]:
        """Handle a request. Raises `_Refusal`."""
        match method, path.strip("/").split("/"):
            case "GET", ["contribuintes"]:
                return 200, {"contribuintes": list(_TAXPAYERS)}
            case "POST", ["nfse"]:
                return 201, {"nfse": self.issue(body)}
            case "GET", ["dps", key] if key in self.issued:
                return 200, {"nfse": self.issued[key]}
            case "GET", ["nfse", nsu]:
                return 200, {"nfse": self._by_nsu(nsu)}
            case "POST", ["nfse", nsu, "eventos"]:
                found = self._by_nsu(nsu)
                found["situacao"] = "cancelada"
                return 200, {"nfse": found}
        raise _Refusal(404, "E2404", "não encontrado")

    def _by_nsu(self, nsu: str) -> Json:
        for each in self.issued.values():
            if str(each["nsu"]) == nsu:
                return each
        raise _Refusal(404, "E2404", "não encontrado")

    def steer(self, verb: str, body: Any) -> Any:
        """Handle a control verb."""
        if verb == "faults":
            if body is not None:
                self.rules = [{**rule, "seen": 0, "applied": 0} for rule in body]
            return self.rules
        if verb == "requests":
            return dict(self.requests)
        if verb.startswith("record"):
            return {
                "issued": list(self.issued.values()),
                "requests_by_operation": dict(self.requests),
                "refused": dict(self.refused),
                "next": None,
            }
        return {}

    def later(self, seconds: float | None, body: Json) -> None:
        """Issue the declaration after this time, or at a release; the client has left."""
        self.waiting.append(body)
        if seconds is None:
            return
        timer = threading.Timer(seconds, self.release)
        timer.daemon = True
        timer.start()
        self.timers.append(timer)

    def release(self) -> None:
        """Issue all held declarations."""
        with self.lock:
            waiting, self.waiting = self.waiting, []
            for body in waiting:
                with suppress(_Refusal):
                    self.issue(body)


def operation_of(method: str, path: str) -> str:
    """Return the name of an operation: `declare`, `find`, `read`, `cancel` or `taxpayers`."""
    parts = path.strip("/").split("/")
    if method == "POST":
        return "declare" if len(parts) == 1 else "cancel"
    return {"dps": "find", "nfse": "read"}.get(parts[0], "taxpayers")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Service

    def do_GET(self) -> None:
        self._take("GET")

    def do_POST(self) -> None:
        self._take("POST")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _take(self, method: str) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw) if raw else None
        service = self.service
        if self.path.startswith("/_sandbox/"):
            with service.lock:
                self._say(200, service.steer(self.path.removeprefix("/_sandbox/"), body))
            return
        operation = operation_of(method, self.path)
        with service.lock:
            service.requests[operation] += 1
            fault = service.fault(operation) or {}
            kind = fault.get("kind", "")
            if kind in ("close_after", "held"):
                if kind == "held":
                    service.later(fault.get("seconds"), body or {})
                self.close_connection = True
                return
            if kind == "status_503":
                self._say(503, {"erros": []})
                return
            if kind == "release":
                service.release()
            status, answer = self._work(method, body)
        if kind == "lose_answer":
            self.close_connection = True
            return
        if kind == "late":
            time.sleep(fault["seconds"])
        if kind == "hang":
            self.rfile.read(1)  # returns when the client closes its end
            self.close_connection = True
            return
        self._say(500, {"erros": []}) if kind == "status_500" else self._say(status, answer)

    def _work(self, method: str, body: Any) -> tuple[int, Json]:
        if self.headers.get("Authorization") != f"Token token={TOKEN}":
            return 401, {"erros": [{"codigo": "E0401", "descricao": "certificado não aceito"}]}
        try:
            return self.service.answer(method, self.path, body)
        except _Refusal as refusal:
            return refusal.status, refusal.body

    def _say(self, status: int, answer: Any) -> None:
        raw = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that died."""


def cents_of(issued: Json) -> int:
    """Return the amount of an NFS-e in cents."""
    return int(Decimal(issued["dps"]["valores"]["vServ"]) * 100)


@contextmanager
def running_service() -> Iterator[str]:
    """Run the service in a thread. Yield its address."""
    service = Service()
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"service": service}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        for timer in service.timers:
            timer.cancel()
