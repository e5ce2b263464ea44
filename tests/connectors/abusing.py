"""Abusive input for routes: values by type, bodies, raw bytes, queries, parts of paths; and a connection to send it."""

import http.client
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

LONG = "x" * 20_000
ALWAYS: list[Any] = [None, True, [], {}, [{}], {"id": []}, 1.5, -1, "", "\0", "\ud800", LONG, 10**400, float("inf")]
BY_TYPE: dict[str, list[Any]] = {
    "string": [0, "\udfff\ud800", "\u202e", "²¹", "'; DROP TABLE sales_orders; --", "<script>", "%00", "http://["],
    "integer": [0, 10**18, 2**63, "9" * 5_000, "²", "٣", "1" * 40, "-0"],
    "number": [-0.0, 1e300, 2**63, "NaN", "1e400", "10 ,5", "-0.00", "9" * 5_000, "١٢٣"],
    "boolean": [0, 1, "sim", "TRUE"],
    "date": ["2026-02-30", "0001-01-01", "9999-12-31", "0001-01-01T00:00:00+14:00", 20261120],
    "date-time": ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-11-20", 0],
    "object": ["x", [1], {"x": {"y": [{}]}}],
    "array": ["x", [[]], [None], [0] * 1_000, ["\0"], [{"roles": []}]],
}
UNKNOWN: dict[str, Any] = {"unknown": {"a": [1]}, "id": 7, "_links": [], "__proto__": {}, "": 0, "x" * 3_000: 1}
RAW: list[bytes] = [
    b"", b"{", b"[]", b"null", b"0", b'"x"', b"[{}]", b"\xff\xfe", b"\x00" * 50, b'{"a": NaN}', b'{"a": 1e999}',
    b'{"a": "\\ud800"}', b"[" * 100_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b"1" * 10_000, b"a=1&b=2",
    b'{"name": "x", "name": "y"}', b'{"x": "' + b"y" * 1_000_000 + b'"}', b"<xml/>",
]  # fmt: skip
MEDIA = ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "x/y; z"]
WORDS = ["", "0", "-1", "1.5", "9" * 5_000, "%00", "%C2%B2", "%D9%A3", "%ff", "%ED%A0%80", "x" * 3_000, "2026-02-30"]
WORDS += ["0001-01-01T00:00:00%2B14:00", "9999-12-31", "true", "%2e%2e%2f", "a&a=b"]
PARTS = [
    "0",
    "9" * 18,
    "9" * 40,
    "*",
    "%23",
    "%00",
    "%F0%9F%92%A3",
    "%2F",
    "..",
    "%2e%2e%2f",
    "%ff",
    "a" * 3_000,
    "'--",
]
HEADERS = ["", "Basic", "Basic !", "Basic w6k=", "Bearer x", "Basic " + "QQ==" * 500, "basic \xe9", "Token token="]


class Line:
    """One open connection; it sends a path and a body unchanged."""

    def __init__(self, base_url: str, authorization: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=300)
        self._authorization = authorization

    def ask(
        self, method: str, path: str, raw: bytes | None = None, *, media: str = "application/json", header: str = "\n"
    ) -> tuple[int, Any, str]:
        """Return status, body (parsed if it is called JSON and not empty) and media type."""
        authorization = self._authorization if header == "\n" else header
        self._connection.request(method, path, raw, {"Content-Type": media, "Authorization": authorization})
        answer = self._connection.getresponse()
        content, received = answer.read(), answer.getheader("content-type") or ""
        parsed = json.loads(content) if content and received.startswith("application/json") else content.decode()
        return answer.status, parsed, received

    def send(self, method: str, path: str, body: Any) -> tuple[int, Any, str]:
        return self.ask(method, path, json.dumps(body).encode())

    def close(self) -> None:
        self._connection.close()


def bodies(base: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield acceptable bodies with one field missing, one field with its worst value, or unknown fields added."""
    for name in base:
        yield {key: value for key, value in base.items() if key != name}
    for name, entry in fields.items():
        yield from ({**base, name: horror} for horror in (*ALWAYS, *BY_TYPE[entry["type"]]))
    yield {**base, **UNKNOWN}


def paths(path: str) -> Iterator[str]:
    """Yield the path of an operation with the worst value of each variable part; the other parts are 1."""
    parts = path.split("/")
    for place, part in enumerate(parts):
        if part.startswith("{"):
            yield from (
                "/".join(
                    horror if here == place else "1" if each.startswith("{") else each
                    for here, each in enumerate(parts)
                )
                for horror in PARTS
            )


def is_words(found: Any) -> bool:
    """Return whether the value is a list of non-empty texts."""
    return isinstance(found, list) and bool(found) and all(isinstance(text, str) and text for text in found)


_WITHIN: Final[Mapping[str, Sequence[Any]]] = {
    "uuid": ("5F0C7A52-99A1-4B0E-8C3E-0000000000AB", "5f0c7a52-99a1-4b0e-8c3e-0000000000ab"),
    "email": ("a@b.example", "ana.souza+nf@correio.example"),
    "document": ("99000000130", "99000001000101", "99ABC001000157"),
    "string": ("x", "Ação & Cia. Ltda", "a" * 300),
    "number": ("0.01", "12.3", "99999999.99", "-5.00", 7),
    "date": ("2026-01-15", "2027-02-28"),
    "array": (["user"], ["dono", "qualquer texto"]),
}


def within(entry: Mapping[str, Any]) -> Sequence[Any]:
    """Return values that a table's entry allows."""
    return _WITHIN[entry.get("format", entry["type"])]
