"""Drive a published client of the identity API against a sandbox; print the results as JSON.

python drive.py http://127.0.0.1:PORT TOKEN SECRET ACCOUNT USER FREE_USER

Runs in a separate environment, without the project's code.
"""

import json
import sys
from typing import Any

import requests
from passaporte_web.main import IdentityAccounts, PassaporteWeb, ServiceAccount

LONG_AGO = "2020-01-01"


def main(host: str, token: str, secret: str, *known: str) -> Any:
    client = PassaporteWeb(host, token, secret)
    account_uuid, owner, free = known
    return {
        "allow": sorted(client.accounts._meta["allowed_methods"].split(", ")),
        "paging": _paging(client),
        "account": _account(client, account_uuid),
        "members": _members(client, account_uuid, owner, free),
        "identity": _identity(host, token, secret, free),
        "stranger": _status(lambda: list(PassaporteWeb(host, token, "no such secret").accounts.all())),
    }


def _paging(client: Any) -> Any:
    """Return all accounts, a few at a time, along the neighbours of the `Link` header."""
    found = [each.uuid for each in client.accounts.all(limit=7, updated_since=LONG_AGO)]
    return {"count": len(found), "distinct": len(set(found))}


def _account(client: Any, uuid: str) -> Any:
    account = client.accounts.get(uuid)
    # The whole resource goes back; the client sends only the fields that OPTIONS named.
    account.plan_slug, account.expiration = "empresarial", "2027-12-31"
    saved = account.save()
    return {
        "writable": sorted(account._meta["fields"]),
        "uuid": saved.uuid == uuid,
        "plan": saved.plan_slug,
        "expiration": saved.expiration,
        "history": bool(list(client.accounts.get(uuid).history.all())),
        "missing": _status(lambda: client.accounts.get("00000000-0000-0000-0000-000000000000")),
    }


def _members(client: Any, uuid: str, owner: str, free: str) -> Any:
    account = client.accounts.get(uuid)
    before = len(list(account.members.all()))
    created = account.members.create(identity=free, roles=["user"])
    listed = next(each for each in account.members.all() if each.identity["uuid"] == free)
    listed.roles = ["admin", "user"]
    saved = listed.save()
    again = _status(lambda: account.members.create(identity=free, roles=["user"]))
    saved.delete()
    owning = next(each for each in account.members.all() if each.identity["uuid"] == owner)
    return {
        "created": created.roles,
        "saved": sorted(saved.roles),
        "again": again,
        "left": len(list(account.members.all())) - before,
        "owner_stays": _status(owning.delete),
    }


def _identity(host: str, token: str, secret: str, user: str) -> Any:
    url = f"{host}/organizations/api/identities/{user}/accounts/"
    accounts = IdentityAccounts(url=url, token=token, secret=secret, resource_class=ServiceAccount)
    names = [each.name for each in accounts.all()]
    created = accounts.create(name="Conta Nova", plan_slug="essencial", expiration="2027-01-31")
    return {
        "before": len(names),
        "created": [created.name, created.expiration],
        "after": len(list(accounts.all())),
        "again": _status(lambda: accounts.create(name="Outra", plan_slug="essencial", expiration="2027-01-31")),
        "nameless": _status(lambda: accounts.create(plan_slug="essencial")),
    }


def _status(ask: Any) -> int:
    """Return the status of the refusal that the client raises; 0 if it raises none."""
    try:
        ask()
    except requests.HTTPError as refused:
        return 0 if refused.response is None else refused.response.status_code
    return 0


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
