"""Bodies, over real sockets: at most one gzip layer, and never more than the limit in memory."""

import asyncio
import gzip
import tracemalloc
import zlib

import pytest

from connectors.http.bodies import MAX_ANSWER_BYTES, parse_body
from connectors.http.errors import Broken, Doubtful
from connectors.http.retry import Patience
from tests.connectors.http.sockets import Connection, http, serving, session_to

ONCE = Patience(tries=1)
GZIP = "Content-Encoding: gzip"


def bomb(megabytes: int) -> bytes:
    """Return compressed zeros."""
    packer = zlib.compressobj(9, wbits=31)
    zeros = bytes(1024 * 1024)
    return b"".join([*(packer.compress(zeros) for _ in range(megabytes)), packer.flush()])


def answered(raw: bytes, *, is_write: bool = False):
    async def main():
        async def behave(connection: Connection) -> None:
            await connection.request()
            await connection.send(raw)

        async with serving(behave) as server, session_to(server.base_url, patience=ONCE) as session:
            if is_write:
                return await session.write("POST", "/api/v1/nfse", b"{}", expect=frozenset({201}))
            return await session.read("GET", "/api/v1")

    return asyncio.run(main())


WHOLE = gzip.compress(b'{"id":1}')
UNREADABLE: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "two encodings": (gzip.compress(WHOLE), ("Content-Encoding: gzip, gzip",)),
    "two headers": (gzip.compress(WHOLE), (GZIP, GZIP)),
    "another one": (zlib.compress(b"{}"), ("Content-Encoding: deflate",)),
    "an unknown one": (b"{}", ("Content-Encoding: br",)),
    "cut": (WHOLE[:-4], (GZIP,)),
    "something behind it": (WHOLE + b"{}", (GZIP,)),
    "a bomb": (bomb(64), (GZIP,)),
    "a bomb in a bomb": (gzip.compress(bomb(64)), ("Content-Encoding: gzip, gzip",)),
}


@pytest.mark.parametrize("words", UNREADABLE)
def test_a_body_that_is_not_one_gzip_is_no_answer(words):
    body, headers = UNREADABLE[words]
    with pytest.raises(Broken):
        answered(http(200, body, *headers))
    with pytest.raises(Doubtful):
        answered(http(201, body, *headers), is_write=True)


@pytest.mark.parametrize("headers", [(GZIP,), ("Content-Encoding: GZIP",), ("content-encoding:  gzip ",)])
def test_one_gzip_is_read(headers):
    assert answered(http(200, WHOLE, *headers)).data == {"id": 1}
    assert answered(http(200, b'{"id":1}', "Content-Encoding: identity")).data == {"id": 1}


def test_a_body_of_exactly_the_ceiling_is_read():
    text = b'"' + b"x" * (MAX_ANSWER_BYTES - 2) + b'"'
    assert len(answered(http(200, gzip.compress(text, 1), GZIP)).data) == MAX_ANSWER_BYTES - 2


def test_a_bomb_is_never_unpacked_beyond_the_ceiling():
    raw = http(200, bomb(256), GZIP)
    tracemalloc.start()
    try:
        with pytest.raises(Broken):
            answered(raw)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * MAX_ANSWER_BYTES


@pytest.mark.parametrize("text", [b'{"serie": "\\ud800"}', b'{"\\udfff": NaN}', b'["\\ud83d"]'])
def test_half_a_character_is_no_text(text):
    assert parse_body(text) == (None, False)
    with pytest.raises(Doubtful):
        answered(http(201, text), is_write=True)


def test_two_halves_are_one_character():
    assert parse_body(b'["\\ud83d\\ude00", NaN]')[1]


@pytest.mark.parametrize("bytes_before", [b"", b"\xef\xbb\xbf"])
def test_no_text_of_an_answer_holds_a_nul(bytes_before):
    text = bytes_before + b'{"a\\u0000": "x\\u0000\\u0000y", "kept": "\\\\u0000"}'
    assert parse_body(text) == ({"a\ufffd": "x\ufffd\ufffdy", "kept": "\\u0000"}, True)


@pytest.mark.parametrize("levels", [40, 300, 900])
def test_a_deep_refusal_is_nobodys_answer(levels):
    body = b'{"a":[' * (levels // 2) + b'"x"' + b"]}" * (levels // 2)
    with pytest.raises(Broken):
        answered(http(404, body))
    with pytest.raises(Doubtful):
        answered(http(422, body), is_write=True)
