"""The sections of a profile about the systems that it reaches: addresses, secrets, rate limits."""

from typing import Annotated

from pydantic import Field, StringConstraints

from configs.sections import Positive, Seconds, SecretRef, Section

OptionalUrl = Annotated[str, StringConstraints(pattern=r"^(https?://[^/\s]+(/\S*)?)?$")]
"""An address; empty if the profile does not use the system."""


class RateLimitSettings(Section):
    """The rate limit of one account, which all workers share, and the pauses after failures.

    `per_minute` None: only the number of requests in flight limits the rate.
    """

    per_minute: Positive | None = None
    least_per_minute: Positive
    longest_pause_s: Seconds
    failures_before_rest: Annotated[int, Field(ge=2, le=1_000)]
    rests_s: Annotated[list[Seconds], Field(min_length=1, max_length=50)]


class RequestSettings(Section):
    """Limits for every system: time of one HTTP request, attempts of a read, pages of a list."""

    timeout_s: Seconds
    connect_timeout_s: Seconds
    keepalive_s: Seconds
    page_ceiling: Positive
    read_tries: Annotated[int, Field(ge=1, le=20)]


class NfseSettings(Section):
    base_url: OptionalUrl
    token: SecretRef
    in_flight: Annotated[int, Field(ge=1, le=512)]
    lane_size: Annotated[int, Field(ge=1, le=8)]
    pace: RateLimitSettings


class OrderSettings(Section):
    """The purchase-order service, source of the reports. An empty `base_url` turns the reports off.

    `rules` is the path of the rule file by which paid invoices become NFS-e. An empty path bills none.
    """

    base_url: OptionalUrl
    user: SecretRef
    password: SecretRef
    plans: tuple[Annotated[str, StringConstraints(min_length=1, max_length=100)], ...]
    rules: str
    in_flight: Annotated[int, Field(ge=1, le=64)]
    page_size: Annotated[int, Field(ge=1, le=1_000)]
    pages_at_once: Annotated[int, Field(ge=1, le=100)]
    overlap_days: Annotated[int, Field(ge=1, le=90)]
    pull_tries: Annotated[int, Field(ge=1, le=10)]
    pace: RateLimitSettings


class IdentitySettings(Section):
    """The identity service: accounts and their members. An empty `base_url` turns it off.

    `token` and `secret` are the application's. Only the order service may activate an account: `orders_token` and
    `orders_secret` are its credentials.
    """

    base_url: OptionalUrl
    token: SecretRef
    secret: SecretRef
    orders_token: SecretRef
    orders_secret: SecretRef
    in_flight: Annotated[int, Field(ge=1, le=64)]
    pace: RateLimitSettings


class SecurityCode(Section):
    """References to an issuer's security code for consumer invoices and to that code's id."""

    csc: SecretRef
    id_token: SecretRef


class ProductSettings(Section):
    """The product-invoice provider. An empty `base_url` turns it off. `codes` are security codes by emitter CNPJ."""

    base_url: OptionalUrl
    token: SecretRef
    extensions: bool
    in_flight: Annotated[int, Field(ge=1, le=64)]
    nfe_serie: Annotated[int, Field(ge=1, le=999)]
    nfce_serie: Annotated[int, Field(ge=1, le=999)]
    pace: RateLimitSettings
    codes: dict[str, SecurityCode]

    def serie_of(self, kind: str) -> str:
        """Return the serie of one document kind. All emitters use the same serie, each with its own numbers."""
        return str(self.nfe_serie if kind == "nfe" else self.nfce_serie)


class PluginSettings(Section):
    """Settings of an issuer system from another package (a plug-in).

    `module` is the import path `package.module:NAME` of its `connectors.issuers.System`; its code runs with this
    process's rights. The plug-in defines the names in `options` and `secrets`.
    """

    module: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_]*$")]
    base_url: Annotated[str, StringConstraints(pattern=r"^https?://[^/\s]+(/\S*)?$")]
    token: SecretRef
    in_flight: Annotated[int, Field(ge=1, le=512)]
    pace: RateLimitSettings
    options: dict[str, str] = Field(default_factory=dict)
    secrets: dict[str, SecretRef] = Field(default_factory=dict)
