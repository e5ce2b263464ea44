"""Make the settings of a rehearsal: the profile's, with the sandbox's addresses and separate files."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from configs.load import keys_of
from configs.sections import ENV_PREFIX, variable_of
from configs.settings import Settings

REHEARSAL: Final = "local"
"""The profile of a rehearsal; only this profile may use a sandbox with plain tokens."""
_KEPT: Final = frozenset({"FATURISTA_PROFILE"})


def rehearsal_variables(settings: Settings, *, home: str, outbox: str, base_url: str) -> dict[str, str]:
    """Return the environment of a rehearsal of this profile, with the provider at `base_url`.

    Its workbooks are written to `outbox`, which stays; its other files are in `home`.

    A rehearsal sends no message, fetches no document, shares no file, loads no plug-in system and has no secret but the
    sandbox's tokens. Waits are short; approval is automatic.
    """
    texts = _texts(settings)
    ours = {
        "language": settings.language,
        "paths.home": home,
        "paths.inbox": f"{home}/inbox",
        "paths.outbox": outbox,
        "ledger.url": f"sqlite:///{home}/ledger.db",
        "nfse.base_url": base_url,
        "nfse.token": "plain:sandbox-token",
        "orders.base_url": base_url,
        "orders.user": "plain:sandbox-consumer",
        "orders.password": "plain:sandbox-secret",
        "identity.base_url": base_url,
        "identity.token": "plain:sandbox-application",
        "identity.secret": "plain:sandbox-secret",
        "identity.orders_token": "plain:sandbox-orders",
        "identity.orders_secret": "plain:sandbox-secret",
        "products.base_url": base_url,
        "products.token": "plain:sandbox-product-token",
        "products.codes": "{}",
        "systems": "{}",
        "store.url": "",
        "store.endpoint": "",
        "store.key": "",
        "store.secret": "",
        "webhooks.url": "",
        "webhooks.secret": "plain:rehearsal",
        "documents.automatic": "false",
        "documents.hosts": "[]",
        "notifications.targets": "{}",
        "notifications.topics": "{}",
        "backup.recipients": "[]",
        "backup.identity": "",
        "approval.automatic": "true",
        "approval.approver": "rehearsal",
        "approval.four_eyes": "false",
        "requests.timeout_s": "5",
        "requests.connect_timeout_s": "5",
        "protocol.quiet_s": "10",
        "protocol.lease_s": "30",
        "protocol.settle_s": "0.1",
        "protocol.counter_patience_s": "5",
        "reconcile.looks_s": "[0.2]",
    }
    return {variable_of(key): text for key, text in (texts | ours).items()}


@contextmanager
def in_place(variables: Mapping[str, str]) -> Iterator[None]:
    """Replace all settings in the environment by these, and restore the earlier ones at the end."""
    before = {name: value for name, value in os.environ.items() if name.startswith(ENV_PREFIX)}
    _replace({**{name: before[name] for name in _KEPT & before.keys()}, **variables})
    try:
        yield
    finally:
        _replace(before)


def _replace(variables: Mapping[str, str]) -> None:
    for name in [each for each in os.environ if each.startswith(ENV_PREFIX)]:
        del os.environ[name]
    os.environ.update(variables)


def _texts(settings: Settings) -> dict[str, str]:
    """Return each setting that has a value, by its dotted name, in the environment's notation."""
    texts: dict[str, str] = {}
    for key in keys_of(Settings):
        value: Any = settings
        for name in key.split("."):
            value = getattr(value, name)
        if key != "name" and value is not None:
            texts[key] = value if isinstance(value, str) else json.dumps(value, default=_json_value)
    return texts


def _json_value(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else list(value)
