"""An unmodified published client of the identity API against the sandbox."""

from connectors.identity.emulator.seed import account_uuid, user_uuid
from tests.clients.environments import driven
from tests.sandboxes import running_sandbox

OWNER, FREE = 1, 119


def test_a_published_client_finds_what_it_knows():
    """The writable fields of OPTIONS, unquoted `Link` neighbours, one account as an object, roles, the owner's 406."""
    with running_sandbox() as sandbox:
        known = ("sandbox-application", "sandbox-secret", account_uuid(OWNER), user_uuid(OWNER), user_uuid(FREE))
        met = driven("identity", sandbox.base_url, *known)
    assert met["allow"] == ["GET", "HEAD", "OPTIONS"]
    assert met["paging"]["count"] == met["paging"]["distinct"] > 40
    assert met["account"] == {
        "writable": ["expiration", "plan_slug"],
        "uuid": True,
        "plan": "empresarial",
        "expiration": "2027-12-31",
        "history": True,
        "missing": 404,
    }
    assert met["members"] == {
        "created": ["user"],
        "saved": ["admin", "user"],
        "again": 409,
        "left": 0,
        "owner_stays": 406,
    }
    assert met["identity"] == {
        "before": 1,
        "created": ["Conta Nova", "2027-01-31"],
        "after": 2,
        "again": 409,
        "nameless": 400,
    }
    assert met["stranger"] in (401, 403)
