"""Encrypt and decrypt copies with age, as streams: no unencrypted byte reaches the disk.

The library pulls from one file and pushes into another. Therefore it runs in a separate thread behind a pipe.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from pyrage import DecryptError, EncryptError, IdentityError, RecipientError, decrypt_io, encrypt_io, x25519

from domain.problems import FaturistaError, Problem

MAGIC: Final = b"age-encryption.org/v1\n"
SUFFIX: Final = ".age"
_SHOWN: Final = 12

Recipient: TypeAlias = x25519.Recipient
Identity: TypeAlias = x25519.Identity


class Undecipherable(FaturistaError):
    """The copy is encrypted and no given identity decrypts it, or the copy was changed."""


def parse_recipients(keys: Sequence[str]) -> list[Recipient]:
    """Parse age public keys. Raises `FaturistaError` (`backup.bad_recipient`)."""
    return [_parsed_recipient(key) for key in keys]


def parse_identities(text: str) -> list[Identity]:
    """Parse the text of an age identity file.

    Each line is a secret key; empty lines and lines that begin with `#` are skipped. Raises `FaturistaError`
    (`backup.bad_identity`), which never quotes the text, because the text is secret.
    """
    lines = (line.strip() for line in text.splitlines())
    try:
        found = [x25519.Identity.from_str(line) for line in lines if line and not line.startswith("#")]
    except IdentityError:
        found = []
    if not found:
        # Suppress the cause: a traceback must not show a part of a secret key.
        raise FaturistaError(Problem("backup.bad_identity")) from None
    return found


def _parsed_recipient(key: str) -> Recipient:
    try:
        return x25519.Recipient.from_str(key)
    except RecipientError as error:
        raise FaturistaError(Problem("backup.bad_recipient", params={"key": key[:_SHOWN]})) from error


def is_encrypted(path: Path) -> bool:
    """Return whether the file begins with the header of age's binary format. Raises `OSError`."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


@contextmanager
def open_encrypted(raw: IO[bytes], recipients: Sequence[Recipient]) -> Iterator[IO[bytes]]:
    """Yield a file whose bytes are encrypted and written to `raw`. Without recipients, yield `raw` itself.

    Raises the `OSError` of `raw`.
    """
    if not recipients:
        yield raw
        return
    source, target = os.pipe()
    sink = _Sink(raw)
    with ThreadPoolExecutor(1) as pool, os.fdopen(target, "wb") as plain:
        work = pool.submit(_encrypt, os.fdopen(source, "rb"), sink, recipients)
        try:
            yield plain
            plain.close()
        except BrokenPipeError:
            # The thread failed first: its error has the reason.
            _raise_from(work, sink)
            raise
    _raise_from(work, sink)


@contextmanager
def open_decrypted(path: Path, identities: Sequence[Identity]) -> Iterator[IO[bytes]]:
    """Yield a file with the decrypted bytes of a copy, which need not be encrypted. The reader may stop early.

    Raises `Undecipherable` (`backup.encrypted` without identities, `backup.wrong_identity`, `ledger.copy_damaged`) and
    the `OSError` of the file.
    """
    with path.open("rb") as raw:
        if not is_encrypted(path):
            yield raw
            return
        if not identities:
            raise Undecipherable(Problem("backup.encrypted"))
        source, target = os.pipe()
        with ThreadPoolExecutor(1) as pool, os.fdopen(source, "rb") as plain:
            work = pool.submit(_decrypt, raw, os.fdopen(target, "wb"), identities)
            try:
                yield plain
            except Exception:
                # Closing a broken stream fails, too; the first error has the reason.
                plain.close()
                _refuse_unreadable(work)
                raise


class _Sink:
    """Remembers why a write failed, because the library passes the error on as text only."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        try:
            return self._raw.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        self._raw.flush()


def _encrypt(plain: IO[bytes], sink: _Sink, recipients: Sequence[Recipient]) -> None:
    with plain:
        encrypt_io(plain, sink, recipients)


def _decrypt(raw: IO[bytes], plain: IO[bytes], identities: Sequence[Identity]) -> None:
    try:
        decrypt_io(raw, plain, identities)
    finally:
        _close_quietly(plain.close)


def _close_quietly(close: Callable[[], Any]) -> None:
    try:
        close()
    except BrokenPipeError:
        # The reader has read enough and closed the pipe.
        return


def _raise_from(work: Future[None], sink: _Sink) -> None:
    try:
        work.result()
    except EncryptError:
        if sink.error is not None:
            raise sink.error from None
        raise


def _refuse_unreadable(work: Future[None]) -> None:
    error = work.exception()
    if isinstance(error, DecryptError):
        raise Undecipherable(Problem("backup.wrong_identity")) from error
    if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
        # The library reports a changed or truncated file as an error without an error number.
        raise Undecipherable(Problem("ledger.copy_damaged")) from error
