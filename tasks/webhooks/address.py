"""Read the receiver's address from the settings, with the parser of its deliveries."""

from dataclasses import dataclass, field
from typing import Final

from configs.sections import missing_setting
from connectors.issuers import Webhooks
from connectors.ledger.hints import HintLimits
from domain.issuing import SERVICE
from domain.problems import Problem, SettingsError
from tasks.runtime import Context
from tasks.runtime.secrets import resolve_secret

_LEAST_SECRET: Final = 22
"""The shortest secret: 22 characters from an alphabet of 64 have 132 bits."""
_LONGEST_SECRET: Final = 200
TRIAL: Final = "/trial"
"""Suffix of the temporary address that `webhooks test` registers."""


@dataclass(frozen=True, slots=True)
class ReceiverAddress:
    """The receiver's address and the parser of deliveries. `path` is the secret end of the address."""

    url: str
    path: str = field(repr=False)
    issuers: frozenset[str]
    webhooks: Webhooks
    limits: HintLimits

    @property
    def address(self) -> str:
        """The whole address; only the provider may know it."""
        return self.url.rstrip("/") + self.path


def receiver_address(context: Context) -> ReceiverAddress:
    """Return the receiver's address and parser. Raises `SettingsError` for a missing or weak setting."""
    settings, known = context.settings.webhooks, context.registry
    if not settings.url:
        raise SettingsError(missing_setting("webhooks.url"))
    system = known.system_of[context.issuer_of(SERVICE)]
    webhooks = known.systems[system].webhooks
    if webhooks is None:
        raise SettingsError(Problem("webhooks.not_offered", params={"system": system}))
    return ReceiverAddress(
        url=settings.url,
        path=f"/{_secret(settings.secret)}",
        issuers=frozenset(name for name, each in known.system_of.items() if each == system),
        webhooks=webhooks,
        limits=HintLimits(
            settle_s=context.settings.protocol.settle_s, every_s=settings.every_s, within_s=settings.within_s
        ),
    )


def _secret(reference: str) -> str:
    secret = resolve_secret(reference).get_secret_value()
    is_plain = secret.isascii() and secret.replace("-", "").replace("_", "").isalnum()
    if not is_plain or not _LEAST_SECRET <= len(secret) <= _LONGEST_SECRET:
        params: dict[str, str | int] = {"key": "webhooks.secret", "least": _LEAST_SECRET, "most": _LONGEST_SECRET}
        raise SettingsError(Problem("webhooks.weak_secret", params=params))
    return secret
