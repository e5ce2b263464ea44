"""The sections of a profile, typed and frozen; `configs.settings` combines them.

A setting holds a reference to a secret (`env:NAME`, `block:name`), never the secret.
"""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from domain.documents import is_cnpj
from domain.personal_data import FISCAL_YEARS
from domain.problems import Problem

ENV_PREFIX: Final = "FATURISTA_"
ENV_NESTED: Final = "__"

Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]
SecretRef = Annotated[str, StringConstraints(pattern=r"^(env:[A-Za-z_][A-Za-z0-9_]*|block:[a-z0-9-]+|plain:.+)$")]
OptionalSecretRef = Annotated[str, StringConstraints(pattern=r"^(|env:[A-Za-z_][A-Za-z0-9_]*|block:[a-z0-9-]+)$")]
AgeRecipient = Annotated[str, StringConstraints(pattern=r"^age1[02-9ac-hj-np-z]{58}$")]
# Nobody may type the secret itself here: a profile or a process's environment list would show it.
IdentityRef = Annotated[str, StringConstraints(pattern=r"^(|env:[A-Za-z_][A-Za-z0-9_]*|block:[a-z0-9-]+|[^:]+)$")]
State = Annotated[str, StringConstraints(pattern=r"^(|A[CLMP]|BA|CE|DF|ES|GO|M[AGST]|P[ABEIR]|R[JNORS]|S[CEP]|TO)$")]
HolidayDate = Annotated[str, StringConstraints(pattern=r"^([0-9]{4}|-)-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$")]
Serie = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,5}$")]


class UnfitSetting(ValueError):
    """A setting of the right type that must not be used. `problem` gives the reason, without the value."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def missing_setting(key: str) -> Problem:
    """Return the problem of an empty setting, with the environment variable that sets it.

    `key` is dotted, such as `nfse.base_url`.
    """
    return Problem("settings.missing", params={"key": key, "variable": variable_of(key)})


def variable_of(key: str) -> str:
    """Return the environment variable of a setting: `FATURISTA_NFSE__BASE_URL` for `nfse.base_url`."""
    return ENV_PREFIX + key.upper().replace(".", ENV_NESTED)


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Paths(Section):
    """Folders for files; relative to the working directory unless absolute.

    People drop workbooks into `inbox` and find the answers in `outbox`.
    """

    home: str
    inbox: str
    outbox: str

    @property
    def archive(self) -> str:
        """Folder of dropped files, unchanged, by digest."""
        return f"{self.home}/archive"

    @property
    def documents(self) -> str:
        """Folder of XML and PDF of issued invoices, by digest."""
        return f"{self.home}/documents"

    @property
    def mappings(self) -> str:
        """Folder of the meanings of senders' headers that people saved."""
        return f"{self.home}/mappings"


class StoreSettings(Section):
    """The object store for workers without a shared disk. If it is empty, the files stay on the disk of `paths.home`.

    `key` and `secret` are references; if they are empty, the machine's own credentials are used. `endpoint` is empty
    for Amazon's own servers.
    """

    url: Annotated[str, StringConstraints(pattern=r"^$|^[a-z][a-z0-9]{1,9}://\S+$")]
    endpoint: Annotated[str, StringConstraints(pattern=r"^$|^https?://[^/\s@]+/?$")]
    key: OptionalSecretRef
    secret: OptionalSecretRef


class CalendarSettings(Section):
    """The days that are no business days for contracts, besides weekends and national holidays.

    `days` are local holidays: whole dates, or days of every year as `--MM-DD`.
    """

    state: State
    days: tuple[HolidayDate, ...]


class ClosingSettings(Section):
    """`automatic`: the monthly run closes the month before as soon as nothing of it is open; else a person does."""

    automatic: bool


class InboxSettings(Section):
    """The times of the inbox, in seconds.

    A file is complete if it did not change for `settle_s`. A file gets at most one answer in `answer_every_s`.
    `inbox --watch` looks again after `watch_s`.
    """

    settle_s: Annotated[float, Field(ge=0)]
    answer_every_s: Annotated[float, Field(ge=0)]
    watch_s: Seconds


class LedgerSettings(Section):
    """Where the ledger is. `url` is a database address or a secret reference to one."""

    url: str
    lock_wait_s: Seconds


class ProtocolSettings(Section):
    lease_s: Seconds
    clock_skew_s: Annotated[float, Field(ge=0)]
    quiet_s: Seconds
    issuing_quiet_s: Seconds
    settle_s: Annotated[float, Field(ge=0)]
    counter_patience_s: Annotated[float, Field(ge=0)]
    listing_tries: Annotated[int, Field(ge=1, le=50)]
    batch_size: Annotated[int, Field(ge=1, le=5_000)]
    canary_notes: Annotated[int, Field(ge=0, le=100)]
    list_above_cents: Positive | None = None
    emission_max_age_days: Annotated[int, Field(ge=0, le=60)]
    allowed_months_after: Annotated[int, Field(ge=0, le=12)]
    recount_days: Annotated[int, Field(ge=0, le=400)]
    relist_days: Annotated[int, Field(ge=0, le=400)]

    def quiet_for(self, *, is_staged: bool) -> float:
        """Return how long after its last byte a post may still arrive, in seconds; longer if it issues at once."""
        return self.quiet_s if is_staged else max(self.quiet_s, self.issuing_quiet_s)


class ApprovalSettings(Section):
    """Who approves batches. `four_eyes`: the person who dropped a sheet does not approve its batches."""

    automatic: bool
    approver: str
    four_eyes: bool

    @model_validator(mode="after")
    def _require_approver(self) -> Self:
        if self.automatic and not self.approver.strip():
            raise UnfitSetting(Problem("settings.approver_missing"))
        return self


class StaffSettings(Section):
    """How enrolled people prove who they are.

    After `tries` wrong attempts none can succeed for `lock_s`, which doubles with each further one. `temporary_s`:
    how long the secret of a new enrolment is good for choosing a password. `code_s`: the same of a code for the
    dashboard.
    """

    tries: Annotated[int, Field(ge=1, le=20)]
    lock_s: Annotated[float, Field(ge=60)]
    temporary_s: Annotated[float, Field(ge=60, le=2_592_000)]
    code_s: Annotated[float, Field(ge=30, le=3_600)]


class IssuerSettings(Section):
    """The name of the issuer of each document kind."""

    service: str
    nfe: str
    nfce: str


class SeriesSettings(Section):
    """The RPS serie that is ours alone, for all emitters or by CNPJ."""

    default: Serie
    by_emitter: dict[str, Serie]

    @field_validator("by_emitter", mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        # Environment variables arrive in lower case, and a person may type the punctuation.
        if not isinstance(value, dict):
            return value
        return {"".join(c for c in str(cnpj).upper() if c.isalnum()): serie for cnpj, serie in value.items()}

    @model_validator(mode="after")
    def _of_companies(self) -> Self:
        # A mistyped CNPJ would silently number its company's invoices in the default serie.
        for cnpj in self.by_emitter:
            if not is_cnpj(cnpj):
                raise UnfitSetting(Problem("settings.bad_emitter", params={"key": f"series.by_emitter.{cnpj}"}))
        return self

    def of(self, emitter_cnpj: str) -> str:
        return self.by_emitter.get(emitter_cnpj, self.default)


class ReadingSettings(Section):
    """How to treat hidden rows and columns, internal notes, and rows without a template.

    A sheet without a template column gets that of its sender in `templates`, else `template`. If both are empty, a row
    gets its customer's last template.
    """

    hidden_rows: Literal["hold", "bill"]
    hidden_columns: Literal["use", "ignore"]
    notes: Literal["keep", "print"]
    template: str
    templates: dict[str, str]


class LimitSettings(Section):
    file_bytes: Positive
    rows: Annotated[int, Field(ge=1, le=1_048_576)]


class WebhookSettings(Section):
    """The receiver of webhooks: its public address, its secret path, and how far a delivery brings a look forward.

    `url` empty: there is no receiver. `every_s` and `within_s` are those of `connectors.ledger.hints.HintLimits`.
    """

    url: str
    secret: SecretRef
    host: str
    port: Annotated[int, Field(ge=0, le=65_535)]
    body_bytes: Annotated[int, Field(ge=1_000, le=1_000_000)]
    most_waiting: Annotated[int, Field(ge=1, le=1_000_000)]
    every_s: Seconds
    within_s: Seconds
    sweep_every_s: Seconds


class ReconcileSettings(Section):
    looks_s: Annotated[list[Seconds], Field(min_length=1, max_length=50)]
    stuck_info_s: Seconds
    stuck_warning_s: Seconds
    stuck_incident_s: Seconds

    def wait_s(self, looks: int) -> float:
        """Return the seconds until the next look after this many looks; the last interval repeats."""
        return self.looks_s[min(looks, len(self.looks_s) - 1)]


class RetrySettings(Section):
    """How often and when a charge is sent again automatically after a failure of the city; `tries` 0: never."""

    tries: Annotated[int, Field(ge=0, le=10)]
    after_s: Seconds
    within_s: Seconds


class DocumentSettings(Section):
    """Which documents of issued invoices are stored, and from where and when they are fetched.

    `hosts` are allowed servers besides the systems' own. `automatic`: fetch them after a batch ended, at most `tries`
    times, `again_s` seconds apart.
    """

    kinds: tuple[Literal["xml", "pdf"], ...]
    hosts: tuple[Annotated[str, StringConstraints(pattern=r"^[a-z0-9.-]{1,253}$")], ...]
    automatic: bool
    within_s: Seconds
    again_s: Seconds
    tries: Annotated[int, Field(ge=1, le=1_000)]
    longest_bytes: Positive


class BackupSettings(Section):
    """Copies of the ledger.

    `keep` is the number of nightly copies, `recipients` are the age public keys that copies are encrypted for.
    `identity` refers to the secret keys that open a copy; empty on a machine that only makes copies.
    """

    keep: Annotated[int, Field(ge=1, le=10_000)]
    recipients: tuple[AgeRecipient, ...]
    identity: IdentityRef
    allow_plain: bool


class RetentionSettings(Section):
    """How long personal data is stored, by its purpose; `configs/data_map.toml` lists the data of each purpose.

    Brazilian tax law demands issued invoices for five years from the first day of the year after their competence.
    """

    fiscal_years: Annotated[int, Field(ge=FISCAL_YEARS, le=100)]
    sheet_days: Annotated[int, Field(ge=30, le=36_500)]
    refused_days: Annotated[int, Field(ge=30, le=36_500)]


class WorkerSettings(Section):
    """How work is divided: a run with more than `batches_per_run` batches offers the rest to other workers."""

    batches_per_run: Annotated[int, Field(ge=1, le=200)]


class LogSettings(Section):
    """Logs of workers. `level`: the least important lines that they write; `debug` has a line for each request."""

    level: Literal["debug", "info", "warning", "error"]


Topic = Literal[
    "approval",
    "returned",
    "rejected",
    "decision",
    "stalled",
    "run_failed",
    "backup",
    "resting",
    "server",
    "certificate",
    "closed",
    "late",
    "ledger",
]
"""Topics of alerts. A house test compares it with the alerts that exist."""


class NotificationSettings(Section):
    """Which targets receive which alerts; the operator chooses the names of targets.

    `targets` are references to addresses in Apprise's form; `topics` maps a topic to its targets. `names`: messages
    may name files, although a file name may contain a person's name. `backup_hours`: an older newest copy is an alert.
    """

    targets: dict[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]*$")], SecretRef]
    topics: dict[Topic, tuple[str, ...]]
    names: bool
    every_s: Annotated[float, Field(ge=1)]
    backup_hours: Annotated[int, Field(ge=1, le=1_000)]

    @model_validator(mode="after")
    def _require_known_targets(self) -> Self:
        for topic, names in self.topics.items():
            for name in names:
                if name not in self.targets:
                    params = {"key": f"notifications.topics.{topic}", "name": name}
                    raise UnfitSetting(Problem("settings.unknown_target", params=params))
        return self


class PreviewSettings(Section):
    """The difference, in percent, from which a preview reports an amount as unusual."""

    unusual_percent: Annotated[int, Field(ge=1, le=1_000)]
