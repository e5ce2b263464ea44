"""The command line: each command prints what it did and what to do next. A mistake is a sentence, never a traceback.

Commands are loaded by name, so that a command starts without the libraries of the others.
"""

import os
import sys
from collections.abc import Iterable
from importlib.metadata import version
from typing import Final

from cyclopts import App, Parameter
from cyclopts.exceptions import CycloptsError

from configs.catalogue import Catalogue
from configs.language import language_of
from domain.disk_faults import DiskFailed, in_words
from domain.problems import FaturistaError
from domain.texts import visible
from flows.arguments import DEFAULT_PROFILE, PROFILE_VARIABLE, refuse_huge
from flows.localized_help import localize
from flows.os_account import PRIVATE_UMASK

COMMANDS: Final = {
    "approve": "flows.cli_approve:approve",
    "audit": "flows.cli_audit:audit",
    "bill": "flows.cli_bill:bill",
    "bill-month": "flows.cli_month:bill_month",
    "bill-paid": "flows.cli_month:bill_paid",
    "bootstrap": "flows.cli_up:bootstrap",
    "cancel": "flows.cli_cancel:cancel",
    "close": "flows.cli_close:close",
    "config": "flows.cli_config:config",
    "contracts": "flows.cli_contracts:contracts",
    "decide": "flows.cli_decisions:decide",
    "decide-file": "flows.cli_bill:decide_file",
    "decide-note": "flows.cli_decisions:decide_note",
    "demo": "flows.cli_machine:demo",
    "doctor": "flows.cli_machine:doctor",
    "documents": "flows.cli_documents:documents",
    "webhooks": "flows.cli_webhooks:webhooks",
    "import": "flows.cli_import:import_",
    "inbox": "flows.cli_inbox:inbox",
    "layout": "flows.cli_layout:layout",
    "ledger": "flows.cli_ledger:ledger",
    "month": "flows.cli_month:month_",
    "monitor": "flows.cli_up:monitor",
    "person": "flows.cli_person:person",
    "preview": "flows.cli_preview:preview",
    "reconcile": "flows.cli_sweeps:reconcile",
    "records": "flows.cli_records:records",
    "rehearse": "flows.cli_rehearse:rehearse",
    "release": "flows.cli_sweeps:release",
    "reject": "flows.cli_approve:reject",
    "replace": "flows.cli_replace:replace",
    "report": "flows.cli_reports:report",
    "sandbox": "flows.cli_machine:sandbox",
    "staff": "flows.cli_staff:staff",
    "start-serie": "flows.cli_decisions:start_serie",
    "status": "flows.cli_status:status",
    "template": "flows.cli_template:template",
    "trace": "flows.cli_status:trace",
    "up": "flows.cli_up:up",
}
"""The path of each command. Its module is imported when somebody types the command."""


def command_line(words: Catalogue) -> App:
    """Return the command line with the first line of each command's help."""
    app = App(
        name="faturista",
        version=lambda: version("faturista"),
        # A switch is off unless somebody types it: do not add `--no-…` for each.
        default_parameter=Parameter(negative=(), validator=refuse_huge),
    )
    for name, path in COMMANDS.items():
        app.command(path, name=name, help=words.text(f"command.{name.replace('-', '_')}"))
    return app


def main(arguments: Iterable[str] | None = None) -> None:
    """Run one command. Exit codes: 0 done, 1 done with problems, 2 a mistake that is explained, 3 an outside error."""
    os.umask(PRIVATE_UMASK)
    typed = sys.argv[1:] if arguments is None else list(arguments)
    words = _words()
    app = command_line(words)
    localize(app, words, typed)
    try:
        app(typed, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        from flows.usage_errors import usage_texts  # noqa: PLC0415 - only a mistake needs it

        print(*map(visible, usage_texts(words, error)), sep="\n", file=sys.stderr)
        sys.exit(2)
    except (FaturistaError, ExceptionGroup, OSError) as error:
        sys.exit(_print_errors(error))


def _print_errors(error: FaturistaError | ExceptionGroup | OSError) -> int:
    """Print every error in words and return the exit code. Raise an unexpected error again, for its traceback."""
    # The code that raised these errors has loaded their modules already.
    from connectors.http.errors import ConnectorError, Unreachable  # noqa: PLC0415
    from connectors.ledger.engine import LedgerUnavailable  # noqa: PLC0415
    from connectors.object_store import StoreUnavailable  # noqa: PLC0415
    from flows.server_errors import OrchestratorUnavailable  # noqa: PLC0415

    errors = [in_words(each) for each in (error.exceptions if isinstance(error, ExceptionGroup) else (error,))]
    foreseen = [each for each in errors if isinstance(each, FaturistaError)]
    words = _words()
    sentences = [sentence for each in foreseen for sentence in words.explain(each)]
    if any(isinstance(each, Unreachable) for each in foreseen):
        sentences.append(words.text("cli.start_sandbox"))
    if sentences:
        print(*map(visible, dict.fromkeys(sentences)), sep="\n", file=sys.stderr)
    if len(foreseen) < len(errors):
        raise error
    outside = ConnectorError | DiskFailed | LedgerUnavailable | StoreUnavailable | OrchestratorUnavailable
    return 3 if any(isinstance(each, outside) for each in foreseen) else 2


def _words() -> Catalogue:
    """Return the default language's catalogue, because the profile is not known yet."""
    return Catalogue.load(language_of(os.environ.get(PROFILE_VARIABLE, DEFAULT_PROFILE)))
