"""Every setting, typed and frozen. Values are in `profiles/base.toml`, with a comment each; none has a default here.

A setting holds a reference to a secret (`env:NAME`, `block:name`), never the secret. This module checks the rules
between settings that keep money safe, so that no profile can be loaded without them.
"""

from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pydantic import StringConstraints, model_validator

from configs.sections import (
    ApprovalSettings,
    BackupSettings,
    CalendarSettings,
    ClosingSettings,
    DocumentSettings,
    InboxSettings,
    IssuerSettings,
    LedgerSettings,
    LimitSettings,
    LogSettings,
    NotificationSettings,
    Paths,
    PreviewSettings,
    ProtocolSettings,
    ReadingSettings,
    ReconcileSettings,
    RetentionSettings,
    RetrySettings,
    Section,
    SeriesSettings,
    StaffSettings,
    StoreSettings,
    UnfitSetting,
    WebhookSettings,
    WorkerSettings,
    missing_setting,
)
from configs.system_sections import (
    IdentitySettings,
    NfseSettings,
    OrderSettings,
    PluginSettings,
    ProductSettings,
    RequestSettings,
)
from domain.problems import Problem

_LOOPBACK: Final = frozenset({"localhost", "::1", "0.0.0.0"})  # noqa: S104 - compared, never bound

_ENCRYPTED: Final = frozenset({"require", "verify-ca", "verify-full"})
"""Values of PostgreSQL's `sslmode` that send nothing over the network in clear text."""


class Settings(Section):
    """One profile. `name` is the profile's name: `local` is a playground, `production…` is guarded."""

    name: str
    language: Literal["pt_BR", "en"]
    paths: Paths
    ledger: LedgerSettings
    requests: RequestSettings
    nfse: NfseSettings
    orders: OrderSettings
    identity: IdentitySettings
    products: ProductSettings
    systems: dict[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")], PluginSettings]
    store: StoreSettings
    protocol: ProtocolSettings
    approval: ApprovalSettings
    staff: StaffSettings
    issuers: IssuerSettings
    series: SeriesSettings
    reading: ReadingSettings
    limits: LimitSettings
    reconcile: ReconcileSettings
    webhooks: WebhookSettings
    workers: WorkerSettings
    retry: RetrySettings
    documents: DocumentSettings
    preview: PreviewSettings
    calendar: CalendarSettings
    closing: ClosingSettings
    inbox: InboxSettings
    backup: BackupSettings
    retention: RetentionSettings
    logs: LogSettings
    notifications: NotificationSettings

    @property
    def is_production(self) -> bool:
        """Whether the profile is guarded: no SQLite, no loopback, no plain http."""
        return self.name.startswith("production")

    def system(self, name: str) -> "NfseSettings | OrderSettings | IdentitySettings | ProductSettings | PluginSettings":
        """Return the section about one system: its address, secrets and rate limits."""
        systems: dict[str, NfseSettings | OrderSettings | IdentitySettings | ProductSettings] = {
            "nfse": self.nfse,
            "orders": self.orders,
            "identity": self.identity,
            "products": self.products,
        }
        return systems.get(name) or self.systems[name]

    @model_validator(mode="before")
    @classmethod
    def _at_home(cls, raw: Any) -> Any:
        """Replace `{home}` in other paths by the folder of this profile's files."""
        match raw:
            case {"paths": {"home": str(home), **folders}, "ledger": {"url": str(url), **others}}:
                paths = {name: str(folder).replace("{home}", home) for name, folder in folders.items()}
                ledger = {"url": url.replace("{home}", home), **others}
                return {**raw, "paths": {"home": home, **paths}, "ledger": ledger}
            case _:
                return raw

    @model_validator(mode="after")
    def _waits_fit(self) -> Self:
        timeout, protocol = self.requests.timeout_s, self.protocol
        # A request may arrive long after its timeout: declared absent too early, its invoice would be issued twice.
        if protocol.quiet_s < 2 * timeout:
            raise UnfitSetting(Problem("settings.quiet_too_short", params={"least": str(2 * timeout)}))
        # A worker must be able to finish a request before its lease ends, or two workers post the same batch.
        if protocol.lease_s <= timeout + protocol.clock_skew_s:
            least = str(timeout + protocol.clock_skew_s)
            raise UnfitSetting(Problem("settings.lease_too_short", params={"least": least}))
        return self

    @model_validator(mode="after")
    def _guarded(self) -> Self:
        secrets = {
            "nfse.token": self.nfse.token,
            "orders.user": self.orders.user,
            "orders.password": self.orders.password,
            "identity.token": self.identity.token,
            "identity.secret": self.identity.secret,
            "identity.orders_token": self.identity.orders_token,
            "identity.orders_secret": self.identity.orders_secret,
            "products.token": self.products.token,
            "webhooks.secret": self.webhooks.secret,
            **{f"notifications.targets.{name}": target for name, target in self.notifications.targets.items()},
            **{f"products.codes.{cnpj}": code.csc for cnpj, code in self.products.codes.items()},
            **{f"systems.{name}.token": system.token for name, system in self.systems.items()},
            **{
                f"systems.{name}.secrets.{key}": reference
                for name, system in self.systems.items()
                for key, reference in system.secrets.items()
            },
        }
        for key, reference in secrets.items():
            if reference.startswith("plain:") and self.name != "local":
                raise UnfitSetting(Problem("settings.plain_secret", params={"key": key}))
        addresses = {
            "nfse.base_url": self.nfse.base_url,
            "orders.base_url": self.orders.base_url,
            "identity.base_url": self.identity.base_url,
            "products.base_url": self.products.base_url,
            "webhooks.url": self.webhooks.url,
            "store.endpoint": self.store.endpoint,
            **{f"systems.{name}.base_url": system.base_url for name, system in self.systems.items()},
        }
        needed = {"ledger.url": self.ledger.url}
        if self.issuers.service == "nfse":
            needed = {"nfse.base_url": self.nfse.base_url, **needed}
        for key, value in needed.items():
            if not value:
                raise UnfitSetting(missing_setting(key))
        for key, url in addresses.items():
            if url and self.name != "local":
                refuse_address(url, key=key, is_production=self.is_production)
        if self.is_production:
            refuse_ledger(self.ledger.url)
            self._refuse_lonely_approval()
            if not self.backup.recipients and not self.backup.allow_plain:
                raise UnfitSetting(Problem("settings.plain_backup"))
        return self

    def _refuse_lonely_approval(self) -> None:
        """Raise `UnfitSetting` if one person alone could decide what production issues."""
        if self.approval.automatic:
            raise UnfitSetting(Problem("settings.automatic_approval", params={"key": "approval.automatic"}))
        if not self.approval.four_eyes:
            raise UnfitSetting(Problem("settings.two_eyes", params={"key": "approval.four_eyes"}))


def refuse_address(url: str, *, key: str, is_production: bool) -> None:
    """Raise `UnfitSetting` if no token may go to this address: over plain http, or in production to this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in _LOOPBACK or host.startswith("127.") or host.endswith(".localhost"):
        if is_production:
            raise UnfitSetting(Problem("settings.loopback", params={"key": key}))
        return
    if parts.scheme != "https":
        raise UnfitSetting(Problem("settings.plain_http", params={"key": key}))


def refuse_ledger(url: str) -> None:
    """Raise `UnfitSetting` if production must not use this ledger.

    A secret reference passes: check its resolved address again.
    """
    if url.startswith("sqlite"):
        raise UnfitSetting(Problem("settings.sqlite", params={"key": "ledger.url"}))
    if url.startswith("postgres") and not _is_encrypted(urlsplit(url)):
        raise UnfitSetting(Problem("settings.ledger_in_clear", params={"key": "ledger.url"}))


def _is_encrypted(address: SplitResult) -> bool:
    """Return whether a PostgreSQL address requires TLS or reaches the database through a local socket."""
    given = dict(parse_qsl(address.query))
    host = given.get("host", address.hostname or "")
    return host in {"", *_LOOPBACK} or host.startswith(("/", "127.")) or given.get("sslmode") in _ENCRYPTED
