"""Every setting, typed and frozen. Values are in `profiles/base.toml`, with a comment each; none has a default here.

A setting holds a reference to a secret (`env:NAME`, `block:name`), never the secret. Rules between settings that keep
money safe are checked here, so that no profile can be loaded without them.
"""

from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from domain.documents import is_cnpj
from domain.persons.terms import FISCAL_YEARS
from domain.problems import Problem

ENV_PREFIX: Final = "FATURISTA_"
ENV_NESTED: Final = "__"
_LOOPBACK: Final = frozenset({"localhost", "::1", "0.0.0.0"})  # noqa: S104 - compared, never bound

_ENCRYPTED: Final = frozenset({"require", "verify-ca", "verify-full"})
"""Values of PostgreSQL's `sslmode` with which nothing goes over the network in clear text."""

Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]
SecretRef = Annotated[str, StringConstraints(pattern=r"^(env:[A-Za-z_][A-Za-z0-9_]*|block:[a-z0-9-]+|plain:.+)$")]
AgeRecipient = Annotated[str, StringConstraints(pattern=r"^age1[02-9ac-hj-np-z]{58}$")]
# The secret itself must not be typed here: it would stand in a profile or in a process's environment list.
IdentityRef = Annotated[str, StringConstraints(pattern=r"^(|env:[A-Za-z_][A-Za-z0-9_]*|block:[a-z0-9-]+|[^:]+)$")]
Serie = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,5}$")]


class UnfitSetting(ValueError):
    """A setting that fits its type and still must not be used; `problem` says why, and never the value."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def missing(key: str) -> Problem:
    """That a setting is nowhere filled in, with the variable that would do it; `key` as `nfse.base_url`."""
    variable = ENV_PREFIX + key.upper().replace(".", ENV_NESTED)
    return Problem("settings.missing", params={"key": key, "variable": variable})


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Paths(_Section):
    """Where files are kept; relative to the working directory unless absolute.

    People drop workbooks into `inbox` and find what is written for them in `outbox`.
    """

    home: str
    inbox: str
    outbox: str

    @property
    def archive(self) -> str:
        """Dropped files, unchanged, by digest."""
        return f"{self.home}/archive"

    @property
    def answered(self) -> str:
        """How far the answer to each dropped file has come."""
        return f"{self.home}/answered"

    @property
    def mappings(self) -> str:
        """What senders' headers mean, as people taught it."""
        return f"{self.home}/mappings"


class InboxSettings(_Section):
    """When a dropped file is complete."""

    settle_s: Annotated[float, Field(ge=0)]
    watch_s: Seconds


class LedgerSettings(_Section):
    """`url` is a database address or a secret reference to one."""

    url: str
    lock_wait_s: Seconds


class LineSettings(_Section):
    """How fast an account may be asked, by all workers together, and when it is left alone.

    `per_minute` None: as fast as the requests in flight allow.
    """

    per_minute: Positive | None = None
    least_per_minute: Positive
    longest_pause_s: Seconds
    failures_before_rest: Annotated[int, Field(ge=2, le=1_000)]
    rests_s: Annotated[list[Seconds], Field(min_length=1, max_length=50)]


class NfseSettings(_Section):
    base_url: Annotated[str, StringConstraints(pattern=r"^(https?://[^/\s]+(/\S*)?)?$")]
    token: SecretRef
    in_flight: Annotated[int, Field(ge=1, le=512)]
    lane_size: Annotated[int, Field(ge=1, le=8)]
    request_timeout_s: Seconds
    connect_timeout_s: Seconds
    keepalive_s: Seconds
    page_ceiling: Positive
    read_tries: Annotated[int, Field(ge=1, le=20)]
    pace: LineSettings


class OrderSettings(_Section):
    """The purchase-order service, source of the reports; `base_url` stays empty where nobody wants them."""

    base_url: Annotated[str, StringConstraints(pattern=r"^(https?://[^/\s]+(/\S*)?)?$")]
    user: SecretRef
    password: SecretRef
    plans: tuple[Annotated[str, StringConstraints(min_length=1, max_length=100)], ...]
    in_flight: Annotated[int, Field(ge=1, le=64)]
    page_size: Annotated[int, Field(ge=1, le=1_000)]
    pages_at_once: Annotated[int, Field(ge=1, le=100)]
    page_ceiling: Positive
    overlap_days: Annotated[int, Field(ge=1, le=90)]
    pull_tries: Annotated[int, Field(ge=1, le=10)]
    request_timeout_s: Seconds
    read_tries: Annotated[int, Field(ge=1, le=20)]
    pace: LineSettings


class SecurityCode(_Section):
    """References to an issuer's security code for consumer invoices and to that code's id."""

    csc: SecretRef
    id_token: SecretRef


class ProductSettings(_Section):
    """Product invoices; an empty `base_url` means that there are none. `codes` by the issuer's CNPJ."""

    base_url: Annotated[str, StringConstraints(pattern=r"^(https?://[^/\s]+(/\S*)?)?$")]
    token: SecretRef
    extensions: bool
    in_flight: Annotated[int, Field(ge=1, le=64)]
    nfe_serie: Annotated[int, Field(ge=1, le=999)]
    nfce_serie: Annotated[int, Field(ge=1, le=999)]
    pace: LineSettings
    codes: dict[str, SecurityCode]

    def serie_of(self, kind: str) -> str:
        """The serie of one kind; each organization numbers its own."""
        return str(self.nfe_serie if kind == "nfe" else self.nfce_serie)


class SystemSettings(_Section):
    """A system of issuers that is no part of this package.

    `module` names its `connectors.issuers.System` as `package.module:NAME`: its code runs with our rights. `options`
    and `secrets` are its own.
    """

    module: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_]*$")]
    base_url: Annotated[str, StringConstraints(pattern=r"^https?://[^/\s]+(/\S*)?$")]
    token: SecretRef
    in_flight: Annotated[int, Field(ge=1, le=512)]
    pace: LineSettings
    options: dict[str, str] = Field(default_factory=dict)
    secrets: dict[str, SecretRef] = Field(default_factory=dict)


class ProtocolSettings(_Section):
    lease_s: Seconds
    clock_skew_s: Annotated[float, Field(ge=0)]
    quiet_s: Seconds
    settle_s: Annotated[float, Field(ge=0)]
    counter_patience_s: Annotated[float, Field(ge=0)]
    listing_tries: Annotated[int, Field(ge=1, le=50)]
    batch_size: Annotated[int, Field(ge=1, le=5_000)]
    list_above_cents: Positive | None = None
    emission_max_age_days: Annotated[int, Field(ge=0, le=60)]
    allowed_months_after: Annotated[int, Field(ge=0, le=12)]
    recount_days: Annotated[int, Field(ge=0, le=400)]
    relist_days: Annotated[int, Field(ge=0, le=400)]


class ApprovalSettings(_Section):
    """`four_eyes`: whoever dropped a sheet does not approve its batches."""

    automatic: bool
    approver: str
    four_eyes: bool

    @model_validator(mode="after")
    def _signed(self) -> Self:
        if self.automatic and not self.approver.strip():
            raise UnfitSetting(Problem("settings.approver_missing"))
        return self


class IssuerSettings(_Section):
    """The name of the issuer of each document kind."""

    service: str
    nfe: str
    nfce: str


class SeriesSettings(_Section):
    """The RPS serie that is ours alone, for all emitters or by CNPJ."""

    default: Serie
    by_emitter: dict[str, Serie]

    @field_validator("by_emitter", mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        # names of environment variables arrive in lower case, a person may type the punctuation
        if not isinstance(value, dict):
            return value
        return {"".join(c for c in str(cnpj).upper() if c.isalnum()): serie for cnpj, serie in value.items()}

    @model_validator(mode="after")
    def _of_companies(self) -> Self:
        # a mistyped CNPJ would quietly number its company's invoices on the default serie
        for cnpj in self.by_emitter:
            if not is_cnpj(cnpj):
                raise UnfitSetting(Problem("settings.bad_emitter", params={"key": f"series.by_emitter.{cnpj}"}))
        return self

    def of(self, emitter_cnpj: str) -> str:
        """The serie of one emitter."""
        return self.by_emitter.get(emitter_cnpj, self.default)


class ReadingSettings(_Section):
    """What becomes of rows and columns that a sheet hides; either way it is said."""

    hidden_rows: Literal["hold", "bill"]
    hidden_columns: Literal["use", "ignore"]


class LimitSettings(_Section):
    file_bytes: Positive
    rows: Annotated[int, Field(ge=1, le=1_048_576)]


class ReconcileSettings(_Section):
    looks_s: Annotated[list[Seconds], Field(min_length=1, max_length=50)]
    stuck_info_s: Seconds
    stuck_warning_s: Seconds
    stuck_incident_s: Seconds

    def wait_s(self, looks: int) -> float:
        """Seconds until the next look after so many; the last interval repeats."""
        return self.looks_s[min(looks, len(self.looks_s) - 1)]


class BackupSettings(_Section):
    """`keep`: how many nightly copies of the ledger stay. `recipients`: age public keys that copies are encrypted for.

    `identity` refers to the secret keys that open a copy; empty on a machine that only makes copies.
    """

    keep: Annotated[int, Field(ge=1, le=10_000)]
    recipients: tuple[AgeRecipient, ...]
    identity: IdentityRef
    allow_plain: bool


class RetentionSettings(_Section):
    """How long personal data is kept, by what it is needed for; `configs/persons/data_map.toml` says which is where.

    Brazilian tax law asks for issued invoices for five years from the first day of the year after their competence.
    """

    fiscal_years: Annotated[int, Field(ge=FISCAL_YEARS, le=100)]
    sheet_days: Annotated[int, Field(ge=30, le=36_500)]
    refused_days: Annotated[int, Field(ge=30, le=36_500)]


class PreviewSettings(_Section):
    """What a preview calls unusual."""

    unusual_percent: Annotated[int, Field(ge=1, le=1_000)]


class Settings(_Section):
    """One profile. `name` is the profile's name: `local` is a playground, `production…` is guarded."""

    name: str
    language: Literal["pt_BR", "en"]
    paths: Paths
    ledger: LedgerSettings
    nfse: NfseSettings
    orders: OrderSettings
    products: ProductSettings
    systems: dict[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")], SystemSettings]
    protocol: ProtocolSettings
    approval: ApprovalSettings
    issuers: IssuerSettings
    series: SeriesSettings
    reading: ReadingSettings
    limits: LimitSettings
    reconcile: ReconcileSettings
    preview: PreviewSettings
    inbox: InboxSettings
    backup: BackupSettings
    retention: RetentionSettings

    @property
    def is_production(self) -> bool:
        """Guarded: no SQLite, no loopback, no plain http."""
        return self.name.startswith("production")

    def line(self, name: str) -> "NfseSettings | OrderSettings | ProductSettings | SystemSettings":
        """Return the section of the line to one system: how it is reached and at which pace."""
        lines: dict[str, NfseSettings | OrderSettings | ProductSettings] = {
            "nfse": self.nfse,
            "orders": self.orders,
            "products": self.products,
        }
        return lines.get(name) or self.systems[name]

    @model_validator(mode="before")
    @classmethod
    def _at_home(cls, raw: Any) -> Any:
        """`{home}` in another path is the folder of this profile's files."""
        match raw:
            case {"paths": {"home": str(home), **folders}, "ledger": {"url": str(url), **others}}:
                paths = {name: str(folder).replace("{home}", home) for name, folder in folders.items()}
                ledger = {"url": url.replace("{home}", home), **others}
                return {**raw, "paths": {"home": home, **paths}, "ledger": ledger}
            case _:
                return raw

    @model_validator(mode="after")
    def _waits_fit(self) -> Self:
        timeout, protocol = self.nfse.request_timeout_s, self.protocol
        # a request may still arrive long after it was given up: judged absent too early, its note is issued twice
        if protocol.quiet_s < 2 * timeout:
            raise UnfitSetting(Problem("settings.quiet_too_short", params={"least": str(2 * timeout)}))
        # a worker must be able to finish a request before its lease ends, or two workers post the same batch
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
            "products.token": self.products.token,
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
            "products.base_url": self.products.base_url,
            **{f"systems.{name}.base_url": system.base_url for name, system in self.systems.items()},
        }
        needed = {"ledger.url": self.ledger.url}
        if self.issuers.service == "nfse":
            needed = {"nfse.base_url": self.nfse.base_url, **needed}
        for key, value in needed.items():
            if not value:
                raise UnfitSetting(missing(key))
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
        """Raise if production would issue what one person alone decided, whatever source the setting came from."""
        if self.approval.automatic:
            raise UnfitSetting(Problem("settings.automatic_approval", params={"key": "approval.automatic"}))
        if not self.approval.four_eyes:
            raise UnfitSetting(Problem("settings.two_eyes", params={"key": "approval.four_eyes"}))


def refuse_address(url: str, *, key: str, is_production: bool) -> None:
    """Raise if a token must not go to this address: over plain http, or in production to this very machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in _LOOPBACK or host.startswith("127.") or host.endswith(".localhost"):
        if is_production:
            raise UnfitSetting(Problem("settings.loopback", params={"key": key}))
        return
    if parts.scheme != "https":
        raise UnfitSetting(Problem("settings.plain_http", params={"key": key}))


def refuse_ledger(url: str) -> None:
    """Raise if production must not keep its ledger there. A secret reference passes: ask again with the address."""
    if url.startswith("sqlite"):
        raise UnfitSetting(Problem("settings.sqlite", params={"key": "ledger.url"}))
    if url.startswith("postgres") and not _is_encrypted(urlsplit(url)):
        raise UnfitSetting(Problem("settings.ledger_in_clear", params={"key": "ledger.url"}))


def _is_encrypted(address: SplitResult) -> bool:
    """Say whether a PostgreSQL address demands TLS, or reaches the database through a socket of this machine."""
    given = dict(parse_qsl(address.query))
    host = given.get("host", address.hostname or "")
    return host in {"", *_LOOPBACK} or host.startswith(("/", "127.")) or given.get("sslmode") in _ENCRYPTED
