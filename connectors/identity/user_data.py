"""The user data record that an application gets after a sign-on (document 002, User data).

The document does not show how to get it: read a sign-on's answer with `UserData.model_validate`.
"""

from pydantic import Field

from connectors.http.wire_values import Instant, Text
from connectors.identity.shapes import AnswerModel, Roles


class Notifications(AnswerModel):
    """The notifications of a user. `count` are unread; `list` is their URL."""

    count: int
    list: str


class UserAccount(AnswerModel):
    """An account that the user may enter here. `external_id` is the application's own name for it."""

    uuid: str
    name: str
    expiration: Instant | None = None
    plan_slug: str
    roles: Roles = ()
    url: str
    notifications: str | None = None
    external_id: Text | None = None


class UserData(AnswerModel):
    """A user. Identify it by `uuid`, never by `email`, which may change.

    `is_active` False: the user never confirmed the address. The application decides whether such a user may enter.
    """

    uuid: str
    email: str
    is_active: bool
    first_name: str | None = None
    last_name: str | None = None
    nickname: str | None = None
    gender: str | None = None
    birth_date: str | None = None
    language: str | None = None
    timezone: str | None = None
    country: str | None = None
    send_platform_news: bool = False
    send_partner_news: bool = False
    update_info_url: str | None = None
    one_time_password_url: str | None = None
    notifications: Notifications | None = None
    accounts: tuple[UserAccount, ...] = ()
    services: dict[str, str] = Field(default_factory=dict)
