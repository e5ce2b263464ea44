"""Messages through Apprise over real sockets."""

from connectors.notifications import is_address, send_message
from tests.mailboxes import webhook


def test_a_message_arrives_and_a_refused_one_is_reported():
    with webhook() as box:
        address = f"json://127.0.0.1:{box.port}/"
        assert send_message(address, title="One", body="- two\n- three")
        assert box.received == ["One\n- two\n- three"]
        box.is_broken = True
        assert not send_message(address, title="One", body="two")


def test_an_address_that_nobody_knows_is_no_address():
    assert is_address("json://127.0.0.1/")
    assert not is_address("nonsense")
    assert not send_message("nonsense", title="", body="x")
