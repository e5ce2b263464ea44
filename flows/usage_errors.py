"""Explain a mistyped command in the operator's language: what was typed, what is expected, where help is."""

from collections.abc import Iterator
from typing import Final, get_args, get_origin

from cyclopts.exceptions import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from configs.catalogue import Catalogue

_SHOWN: Final = 24


def usage_texts(words: Catalogue, error: CycloptsError) -> Iterator[str]:
    """Yield what is wrong with the command, then how to see its help."""
    yield _sentence(words, error)
    yield words.text("cli.see_help", command=" ".join(["faturista", *(error.command_chain or ())]))


def _sentence(words: Catalogue, error: CycloptsError) -> str:
    match error:
        case UnknownCommandError(unused_tokens=[text, *_]):
            return words.text("cli.unknown_command", text=text)
        case UnusedCliTokensError(unused_tokens=[text, *_]):
            return words.text("cli.one_too_many", text=text)
        case UnknownOptionError():
            return words.text("cli.unknown_option", text=error.token.keyword or error.token.value)
        case MissingArgumentError(argument=argument) if argument is not None:
            return words.text("cli.missing_argument", name=argument.name)
        case CoercionError(argument=argument, token=token) if argument is not None and token is not None:
            return _bad_value(words, argument.name, token.value, error.target_type)
        case ValidationError(argument=argument) if argument is not None:
            return words.text("cli.too_large", name=argument.name, text=error.exception_message[:_SHOWN])
    # A rare case: show the library's own sentence, in English.
    error.verbose = False
    return str(error)


def _bad_value(words: Catalogue, name: str, text: str, kind: object) -> str:
    if get_origin(kind) is not None:
        return words.text("cli.not_a_choice", name=name, text=text, choices=", ".join(map(str, get_args(kind))))
    code = "cli.not_a_number" if kind is int else "cli.unfit"
    return words.text(code, name=name, text=text)
