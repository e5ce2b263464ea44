"""The commands for a person's decisions: on a disturbed batch, a doubted note, a serie."""

from typing import Literal

from domain.staff import Permission
from flows.arguments import Profile, console, parse_cnpj, require_reason
from flows.authentication import acting_name
from tasks.issuance import decide as decisions
from tasks.runtime import open_context


def decide(batch: int, how: decisions.BatchDecision, *, because: str, profile: Profile = "local") -> None:
    """Let a disturbed batch continue, take back an unsent one, or confirm that you have seen its incidents."""
    with open_context(profile) as context:
        decisions.decide_batch(
            context, batch, how, because=require_reason(because), person=acting_name(context, Permission.OPERATE)
        )
        console.print(context.catalogue.text("cli.decided", batch=batch))


def decide_note(
    note: int,
    how: Literal["accepted", "rejected", "retired"],
    *,
    because: str,
    provider_id: int | None = None,
    profile: Profile = "local",
) -> None:
    """Record what became of a note that stayed in doubt, or of a product invoice that cannot be looked up."""
    with open_context(profile) as context:
        why, person = require_reason(because), acting_name(context, Permission.OPERATE)
        decisions.decide_note(context, note, how, person=person, because=why, remote_id=provider_id)
        console.print(context.catalogue.text("cli.decided_note", note=note))


def start_serie(
    emitter: str,
    serie: str,
    start: int,
    *,
    kind: Literal["service", "nfe", "nfce"] = "service",
    profile: Profile = "local",
) -> None:
    """Confirm that a serie is ours alone from a number on."""
    with open_context(profile) as context:
        who = acting_name(context, Permission.OPERATE)
        decisions.start_serie(
            context, emitter_cnpj=parse_cnpj(emitter), serie=serie, start=start, person=who, kind=kind
        )
        console.print(context.catalogue.text("cli.serie_started", serie=serie, start=start))
