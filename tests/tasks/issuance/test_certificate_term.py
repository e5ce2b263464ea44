"""Nothing is sent for a company whose certificate would end on the way."""

from datetime import UTC, datetime, timedelta

from connectors.ledger import certificates
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.tasks.rows import RIO, SAO_PAULO
from tests.tasks.workshop import Workshop, remarks


def test_a_run_beyond_the_certificates_end_does_not_start(shop: Workshop):
    batch = shop.planned(1)
    soon = datetime.now(UTC) + timedelta(minutes=30)
    shop.write(certificates.enter, "nfse", RIO, ends_at=soon, by="Ana")
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["certificate.ends"])
    assert (shop.asked("batches.create", "notes.create"), shop.batch(batch).state) == (0, "planned")
    shop.write(certificates.enter, "nfse", RIO, ends_at=soon + timedelta(days=365), by="Ana")
    shop.age("due_at", timedelta(hours=2))
    assert shop.run(stage_batch, batch).ending == "done"


def test_a_batch_waits_for_a_longer_certificate(shop: Workshop):
    batch, soon = shop.approved(1), datetime.now(UTC) + timedelta(minutes=30)
    for system, cnpj in (("nfse", RIO), ("nfse", SAO_PAULO), ("products", RIO)):
        shop.write(certificates.enter, system, cnpj, ends_at=soon, by="Ana")
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["certificate.ends"])
    assert (shop.asked("batches.send"), shop.batch(batch).state) == (0, "approved")
    shop.write(certificates.enter, "nfse", RIO, ends_at=soon + timedelta(days=365), by="Ana")
    shop.age("due_at", timedelta(hours=2))
    assert shop.run(release_batch, batch).ending == "done"
    assert shop.asked("batches.send") == 1
