"""Requests of clients in other languages, over a raw socket: the emulator answers as the provider plausibly does."""

import base64
import json
import socket
from urllib.parse import urlsplit

import pytest

from connectors.identity.emulator.seed import account_uuid, user_uuid
from tests.sandboxes import TOKEN

IDENTITY = "/organizations/api"
SECRETS = {"/api": (TOKEN, ""), IDENTITY: ("sandbox-application", "sandbox-secret")}
FORM = "application/x-www-form-urlencoded"
BATCH = json.dumps({"emitter_id": 1, "name": "Lote"})


def raw(sandbox, method, path, *headers, body=b"", pair=None):
    """Send one request byte by byte. Return status, headers as written, and body."""
    user, password = pair or SECRETS[IDENTITY if path.startswith(IDENTITY) else "/api"]
    basic = base64.b64encode(f"{user}:{password}".encode()).decode()
    lines = [f"{method} {path} HTTP/1.1", "host: x", f"aUTHORIZATION: basic  {basic}", "Connection: close", *headers]
    url = urlsplit(sandbox.base_url)
    with socket.create_connection((url.hostname, url.port)) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, content = received.partition(b"\r\n\r\n")
    status, *fields = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.split(": ", 1) for line in fields), content


def sent(sandbox, method, path, body, *headers):
    """Send a text body with its length. Return as `raw` does."""
    encoded = body if isinstance(body, bytes) else body.encode()
    return raw(sandbox, method, path, *headers, f"CONTENT-LENGTH: {len(encoded)}", body=encoded)


def test_headers_are_written_in_title_case(sandbox):
    _, headers, _ = sent(sandbox, "POST", "/api/v1/batches", BATCH)
    assert {"Content-Type", "Content-Length", "Allow", "Location"} <= headers.keys()
    _, headers, _ = raw(sandbox, "GET", f"{IDENTITY}/accounts/")
    assert {"Content-Type", "Content-Length", "Allow", "Link"} <= headers.keys()
    assert "WWW-Authenticate" in raw(sandbox, "GET", "/api/v1", pair=("nobody", ""))[1]


@pytest.mark.parametrize("path", ["/api/v1/batches/", "/api/v1/batches?format=json", "/api/v1/batches/?format=json"])
def test_a_slash_or_a_format_at_the_end_changes_nothing(sandbox, path):
    status, _, body = raw(sandbox, "GET", path, "Accept: */*")
    assert (status, json.loads(body)["count"]) == (200, 0)


@pytest.mark.parametrize("path", ["/api/v1/batches", "/api/v1/emitters/1", f"{IDENTITY}/accounts/"])
def test_head_has_the_headers_of_get_and_no_body(sandbox, path):
    status, headers, body = raw(sandbox, "HEAD", path)
    assert (status, body) == (200, b"")
    assert headers["Content-Length"] == raw(sandbox, "GET", path)[1]["Content-Length"]


def test_options_names_what_may_be_asked(sandbox):
    status, headers, body = raw(sandbox, "OPTIONS", "/api/v1/nfse")
    assert (status, headers["Allow"]) == (200, "GET, POST, HEAD, OPTIONS")
    assert {"name", "description", "renders", "parses"} <= json.loads(body).keys()


@pytest.mark.parametrize(
    "media", ["", "Content-Type: text/plain", "content-type: Application/JSON; charset=UTF-8", FORM]
)
def test_json_is_read_whatever_it_is_called(sandbox, media):
    """Some libraries call every body a form."""
    header = f"Content-Type: {media}" if media == FORM else media
    assert sent(sandbox, "POST", "/api/v1/batches", BATCH, *([header] if header else []))[0] == 201


def test_a_byte_order_mark_before_json_is_skipped(sandbox):
    assert sent(sandbox, "POST", "/api/v1/batches", b"\xef\xbb\xbf" + BATCH.encode())[0] == 201


def test_a_body_may_come_in_chunks(sandbox):
    halves = (BATCH[:9], BATCH[9:])
    body = "".join(f"{len(half):x}\r\n{half}\r\n" for half in halves) + "0\r\n\r\n"
    assert raw(sandbox, "POST", "/api/v1/batches", "Transfer-Encoding: chunked", body=body.encode())[0] == 201


def test_a_client_that_waits_for_100_gets_a_continue(sandbox):
    status, _, content = sent(sandbox, "POST", "/api/v1/batches", BATCH, "Expect: 100-continue")
    assert (status, b" 201 " in content) == (100, True)


def test_numbers_may_be_written_as_text(sandbox):
    body = json.dumps({"emitter_id": "1", "name": "Lote"})
    status, _, answer = sent(sandbox, "POST", "/api/v1/batches", body)
    assert (status, json.loads(answer)["emitter_id"]) == (201, 1)


def test_a_form_is_another_media_type_to_the_invoice_api(sandbox):
    status, _, body = sent(sandbox, "POST", "/api/v1/batches", "emitter_id=1&name=Lote", f"Content-Type: {FORM}")
    assert (status, list(json.loads(body))) == (415, ["detail"])


def test_a_form_is_read_by_the_identity_service(sandbox):
    path = f"{IDENTITY}/accounts/{account_uuid(1)}/"
    status, _, body = sent(sandbox, "PUT", path, "plan_slug=empresarial&expiration=2027-12-31", f"Content-Type: {FORM}")
    assert (status, json.loads(body)["plan_slug"]) == (200, "empresarial")
    member = f"identity={user_uuid(119)}&roles="
    for roles, kept in (("user", ["user"]), ("admin&roles=user", ["admin", "user"])):
        status, _, body = sent(sandbox, "POST", f"{path}members/", f"{member}{roles}", f"Content-Type: {FORM}")
        assert (status, json.loads(body)["roles"]) == (201, kept)
        assert raw(sandbox, "DELETE", f"{path}members/{user_uuid(119)}/")[0] == 204


def test_an_empty_object_may_come_with_a_get(sandbox):
    assert sent(sandbox, "GET", "/api/v1/batches", "{}", "Content-Type: application/json")[0] == 200
    assert sent(sandbox, "GET", f"{IDENTITY}/accounts/", '{"page": 1, "limit": 7}')[0] == 200


def test_a_request_without_its_whole_body_never_arrived(sandbox):
    url = urlsplit(sandbox.base_url)
    before = sandbox.requests()
    for part in (b"", b'{"name"'):
        with socket.create_connection((url.hostname, url.port)) as connection:
            head = f"POST {IDENTITY}/accounts/ HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n"
            connection.sendall(head.encode() + part)
    sandbox.settle(arrives_s=0.2)
    assert sandbox.requests() == before
