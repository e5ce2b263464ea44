"""Faults of a disk by name, as far as the system tells them apart."""

import errno

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from domain.disk_faults import DiskFailed, disk_fault, in_words, is_disk_failure, is_out_of_room, is_retryable, naming
from domain.problems import FaturistaError, Problem


@pytest.mark.parametrize(
    ("number", "name", "is_any"),
    [
        (errno.ENOSPC, "full", True),
        (errno.EDQUOT, "full", True),
        (errno.EFBIG, "too_large", True),
        (errno.EROFS, "read_only", True),
        (errno.EACCES, "forbidden", False),
        (errno.EEXIST, "no_folder", False),
        (errno.EIO, "failing", False),
        (None, "failing", False),
    ],
)
def test_a_disks_fault_has_words_in_each_language(number: int | None, name: str, is_any: bool):
    error = OSError() if number is None else OSError(number, "what the system says")
    assert (disk_fault(error), is_out_of_room(error)) == (name, is_any)
    for language in LANGUAGES:
        words = Catalogue.load(language)
        text = words.what(Problem("ledger.cannot_write", params={"disk": name}))
        assert words.text(f"disk.{name}") in text
        assert "[" not in text


def test_another_error_is_no_full_disk():
    assert not is_out_of_room(ValueError("full"))


@pytest.mark.parametrize(
    ("error", "place"),
    [
        (OSError(errno.EIO, "bad block"), None),
        (OSError(errno.ENOSPC, "full"), None),
        (OSError(errno.EIO, "bad block", "/srv/archive/ab.csv"), "/srv/archive/ab.csv"),
        (OSError(errno.EACCES, "no", "/srv/outbox/.part-7f.xlsx"), "/srv/outbox"),
        (OSError(errno.ENOENT, "gone", "/srv/outbox"), "/srv/outbox"),
        (OSError(errno.ENOSPC, "full", "/srv/claimed/a.csv", None, "/srv/inbox/a.csv"), "/srv/inbox/a.csv"),
    ],
)
def test_a_disks_fault_is_a_sentence_with_its_place(error: OSError, place: str | None):
    worded = in_words(error)
    assert isinstance(worded, FaturistaError)
    assert worded.problem.params.get("path") == place
    # A folder that is closed or gone may be a mistake of the person; the other faults are not.
    assert isinstance(worded, DiskFailed) == (error.errno in {errno.EIO, errno.ENOSPC})
    for language in LANGUAGES:
        (sentence,) = Catalogue.load(language).explain(worded)
        assert Catalogue.load(language).text(f"disk.{disk_fault(error)}") in sentence
        assert place is None or place in sentence
        assert "[" not in sentence


@pytest.mark.parametrize(
    "error",
    [
        ValueError("full"),
        OSError("no number"),
        ConnectionRefusedError(errno.ECONNREFUSED, "nobody listens"),
        PermissionError(errno.EACCES, "a port below 1024"),
        FileNotFoundError(errno.ENOENT, "no name"),
        OSError(errno.ETIMEDOUT, "late", "/srv/outbox"),
    ],
)
def test_an_error_of_no_file_stays_as_it_is(error: Exception):
    assert in_words(error) is error


@pytest.mark.parametrize(
    ("number", "may", "is_disks"),
    [
        (errno.ENOSPC, True, False),
        (errno.EACCES, True, False),
        (errno.EROFS, True, False),
        (errno.EIO, True, True),
        (errno.ESTALE, True, True),
        (errno.EFBIG, False, False),
        (errno.EXDEV, False, False),
        (None, False, False),
    ],
)
def test_a_fault_of_the_disk_passes_and_one_of_the_file_stays(number: int | None, may: bool, is_disks: bool):
    error = OSError() if number is None else OSError(number, "what the system says")
    assert (is_retryable(error), is_disk_failure(error)) == (may, is_disks)


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (OSError(errno.ENOSPC, "full"), "/srv/outbox/a.xlsx"),
        (OSError(errno.ENOSPC, "full", "/srv/tmp/b"), "/srv/tmp/b"),
        (OSError(errno.EPERM, "a port"), None),
    ],
)
def test_an_unnamed_fault_of_a_file_gets_its_name(error: OSError, name: str | None):
    with pytest.raises(OSError, match=r".") as caught, naming("/srv/outbox/a.xlsx"):
        raise error
    assert caught.value.filename == name
