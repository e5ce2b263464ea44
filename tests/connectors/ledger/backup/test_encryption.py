"""Encrypted streams: complete, or an error in words, however either side ends."""

import io
from pathlib import Path
from typing import Any

import pytest
from pyrage import encrypt, x25519

from connectors.ledger.backup.encryption import Undecipherable, open_decrypted, open_encrypted

KEY = x25519.Identity.generate()
LONG = bytes(range(256)) * 4_000


def sealed(folder: Path, content: bytes = LONG) -> Path:
    path = folder / "sealed.age"
    with path.open("wb") as raw, open_encrypted(raw, [KEY.to_public()]) as plain:
        plain.write(content)
    return path


def read_whole(path: Path, keys: list[x25519.Identity]) -> None:
    with open_decrypted(path, keys) as plain:
        if len(plain.read()) != len(LONG):
            raise EOFError


def refusal(path: Path, keys: list[x25519.Identity]) -> str:
    with pytest.raises(Undecipherable) as caught:
        read_whole(path, keys)
    return caught.value.problem.code


def test_encrypted_content_comes_back_and_is_unreadable(tmp_path):
    path = sealed(tmp_path)
    assert LONG[:64] not in path.read_bytes()
    with open_decrypted(path, [x25519.Identity.generate(), KEY]) as plain:
        assert plain.read() == LONG


def test_without_recipients_the_bytes_are_plain(tmp_path):
    path = tmp_path / "plain"
    with path.open("wb") as raw, open_encrypted(raw, []) as plain:
        plain.write(LONG)
    with open_decrypted(path, []) as plain:
        assert plain.read() == LONG


def test_a_reader_may_leave_early(tmp_path):
    with open_decrypted(sealed(tmp_path), [KEY]) as plain:
        assert plain.read(10) == LONG[:10]


def test_a_missing_key_a_wrong_key_and_a_changed_file_differ(tmp_path):
    path = sealed(tmp_path)
    assert refusal(path, []) == "backup.encrypted"
    assert refusal(path, [x25519.Identity.generate()]) == "backup.wrong_identity"
    content = path.read_bytes()
    path.write_bytes(content[:-1_000])
    assert refusal(path, [KEY]) == "ledger.copy_damaged"
    path.write_bytes(content[:-1_000] + b"x" + content[-999:])
    assert refusal(path, [KEY]) == "ledger.copy_damaged"


def test_a_full_disk_keeps_its_own_error():
    with pytest.raises(OSError, match="No space left"):
        write_long(io.FileIO("/dev/full", "w"))


def test_an_error_of_the_writer_is_not_hidden():
    with pytest.raises(LookupError):
        write_long(io.BytesIO(), fails=True)


def write_long(raw: Any, *, fails: bool = False) -> None:
    with raw, open_encrypted(raw, [KEY.to_public()]) as plain:
        plain.write(LONG)
        if fails:
            raise LookupError


def test_a_file_of_another_age_program_is_read(tmp_path):
    path = tmp_path / "other.age"
    path.write_bytes(encrypt(LONG, [KEY.to_public(), x25519.Identity.generate().to_public()]))
    with open_decrypted(path, [KEY]) as plain:
        assert plain.read() == LONG
