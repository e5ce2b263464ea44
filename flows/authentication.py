"""Identify the acting person at the terminal. Read the password without echo, or from a file for programs."""

import os
import sys
from pathlib import Path
from typing import Final

from configs.catalogue import Catalogue
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Permission
from flows.arguments import console
from flows.os_account import account_name
from tasks.runtime import Context
from tasks.runtime.private_files import own_text
from tasks.staff.identity import Credentials, identify

PERSON: Final = "FATURISTA_PERSON"
SECRET_FILE: Final = "FATURISTA_PERSON_SECRET_FILE"  # noqa: S105 - the name of a variable


def acting_person(context: Context, act: Permission) -> Actor:
    """Return the acting person, by address and password where people are enrolled, else the machine's user.

    Raises `FaturistaError`.
    """
    return identify(context, act, account=account_name(), ask=lambda usual: ask_credentials(context.catalogue, usual))


def acting_name(context: Context, act: Permission) -> str:
    """Return the acting person's name for records. Raises `FaturistaError`."""
    return acting_person(context, act).signature


def ask_credentials(words: Catalogue, usual: str = "") -> Credentials:
    """Return the address and password from the two environment variables, or as typed. `usual`: default address.

    Raises `FaturistaError` if there is neither a terminal nor the variables.
    """
    file = os.environ.get(SECRET_FILE)
    if file is None and not sys.stdin.isatty():
        raise FaturistaError(Problem("staff.no_terminal", params={"person": PERSON, "file": SECRET_FILE}))
    email = os.environ.get(PERSON) or usual
    if file is not None:
        if not email:
            raise FaturistaError(Problem("staff.no_terminal", params={"person": PERSON, "file": SECRET_FILE}))
        text = own_text(Path(file), missing="staff.no_secret_file", shared="staff.shared_secret_file")
        return Credentials(email, text.rstrip("\r\n"))
    email = email or console.input(words.text("staff.type_email")).strip()
    return Credentials(email, console.input(words.text("staff.type_password", email=email), password=True))


def ask_new_password(words: Catalogue) -> str:
    """Return a new password, typed twice without echo. Raises `FaturistaError`."""
    if not sys.stdin.isatty():
        raise FaturistaError(Problem("staff.no_terminal", params={"person": PERSON, "file": SECRET_FILE}))
    chosen = console.input(words.text("staff.type_new_password"), password=True)
    if console.input(words.text("staff.type_again"), password=True) != chosen:
        raise FaturistaError(Problem("staff.typed_differently"))
    return chosen
