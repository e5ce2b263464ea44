"""Workers without a shared disk: each does any step, and a store in trouble loses nothing."""

import shutil
from pathlib import Path

import pytest

from connectors.ledger import files as ledger_files
from connectors.object_store import StoreUnavailable
from connectors.spreadsheets.archive import archived, is_archived
from domain.keys import file_digest
from tasks.runtime.shared_files import publish_answer, withdraw_answer
from tasks.stations.intake import archive_bytes
from tests.tasks.workshop import Workshop

CONTENT = b"CNPJ;Valor\n"
SHA256 = file_digest(CONTENT)


def keep(context):
    return archive_bytes(context, CONTENT, name="mes.csv", kind="services")


@pytest.fixture
def store(shop: Workshop, tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    shop.set(STORE__URL=f"file://{folder}")
    return folder


def test_another_machine_finds_a_dropped_file(shop: Workshop, store: Path):
    with shop.context() as context:
        keep(context)
        # the other machine has an empty disk
        shutil.rmtree(context.settings.paths.archive)
        path = archived(SHA256, name="mes.csv", folder=context.archive)
    assert path.read_bytes() == CONTENT


def test_damaged_bytes_are_never_read(shop: Workshop, store: Path):
    with shop.context() as context:
        keep(context)
        shutil.rmtree(context.settings.paths.archive)
        (store / "archive" / SHA256[:2] / SHA256).write_bytes(b"others")
        with pytest.raises(StoreUnavailable) as caught:
            archived(SHA256, name="mes.csv", folder=context.archive)
        assert caught.value.problem.code == "store.damaged"
        assert not list(Path(context.settings.paths.archive).rglob("*.csv"))


def test_a_failing_store_accepts_no_file_and_loses_none(shop: Workshop, store: Path):
    store.write_bytes(b"a file where the store must be")
    with shop.context() as context:
        with pytest.raises(StoreUnavailable):
            keep(context)
        assert context.ledger.read(ledger_files.find_file, sha256=SHA256) is None
        store.unlink()
        assert keep(context) == 1
        assert is_archived(SHA256, name="mes.csv", folder=context.archive)


def test_a_deleted_answer_is_deleted_in_the_store(shop: Workshop, store: Path):
    with shop.context() as context:
        answer = context.outbox / "mes-corrigir.csv"
        answer.parent.mkdir(parents=True)
        answer.write_bytes(CONTENT)
        publish_answer(context.settings, answer)
        assert (store / "outbox" / answer.name).read_bytes() == CONTENT
        withdraw_answer(context.settings, answer)
    assert not answer.exists()
    assert not (store / "outbox" / answer.name).exists()
