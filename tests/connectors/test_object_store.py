"""Test the object store: a folder and a bucket behave alike, and errors show no key."""

from pathlib import Path

import pytest

from connectors.object_store import ObjectStore, StoreUnavailable
from tests.buckets import KEY, running_bucket


@pytest.fixture(scope="module", params=["folder", "bucket"])
def store(request, tmp_path_factory):
    if request.param == "folder":
        yield ObjectStore(f"file://{tmp_path_factory.mktemp('store')}")
    else:
        with running_bucket("shared.example") as endpoint:
            yield ObjectStore("s3://shared.example/faturista", endpoint, KEY, KEY)


def test_a_stored_content_is_fetched_until_it_is_deleted(store: ObjectStore):
    assert store.fetch("archive/ab/abc") is None
    store.put("archive/ab/abc", b"\x00sheet")
    assert (store.fetch("archive/ab/abc"), store.has("archive/ab/abc")) == (b"\x00sheet", True)
    store.delete("archive/ab/abc")
    store.delete("archive/ab/abc")
    assert (store.fetch("archive/ab/abc"), store.has("archive/ab/abc")) == (None, False)


def test_only_changeable_content_is_written_again(store: ObjectStore):
    store.put("outbox/a.xlsx", b"first", is_fixed=False)
    store.put("outbox/a.xlsx", b"second", is_fixed=False)
    assert store.fetch("outbox/a.xlsx") == b"second"
    store.put("archive/cd/cde", b"first")
    store.put("archive/cd/cde", b"other")
    assert store.fetch("archive/cd/cde") == b"first"


def test_a_part_that_a_killed_writer_left_is_replaced(store: ObjectStore):
    store.put("archive/ef/efa", b"fir")
    store.put("archive/ef/efa", b"first")
    assert store.fetch("archive/ef/efa") == b"first"


def test_a_server_that_is_away_is_reported_without_the_key():
    store = ObjectStore("s3://shared.example/faturista", "http://127.0.0.1:9", "an-access-key", "a-secret")
    with pytest.raises(StoreUnavailable) as caught:
        store.put("archive/ab/abc", b"sheet")
    assert caught.value.problem.params["url"] == "s3://shared.example/faturista"
    assert "a-secret" not in repr(caught.value)


def test_a_full_store_is_reported(tmp_path: Path):
    (tmp_path / "archive").write_bytes(b"a file where a folder must be")
    with pytest.raises(StoreUnavailable):
        ObjectStore(f"file://{tmp_path}").put("archive/ab/abc", b"sheet")
