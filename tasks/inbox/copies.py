"""Answer a copy of a file that was received before: say which file it equals, and what was billed from the copy."""

from typing import NamedTuple

from configs.catalogue import Catalogue
from connectors.inbox.drops import Drop
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import ReadingRecord
from domain.competence import BRASILIA
from domain.documents import Document
from domain.states import RowState
from tasks.inbox.drops import answer_stem, shown_path, write_note
from tasks.runtime import Context
from tasks.views.left_rows import skipped_rows, taken_back_remarks


class CopiedFile(NamedTuple):
    """The file that a copy equals: its first name, the newest reading before the copy's, and its answer's name.

    Without such a reading, the copy continued the file's only reading under another name.
    """

    name: str
    earlier: ReadingRecord | None
    answer: str


def write_note_of_copy(context: Context, drop: Drop, reading_id: int, known: CopiedFile) -> None:
    """Write a note for the person who dropped the copy."""
    words = context.catalogue
    stem = answer_stem(drop, limit=context.settings.limits.file_bytes)
    note = context.outbox / f"{stem}-{words.text('inbox.same_suffix')}.txt"
    sentences = [words.text("inbox.same", name=shown_path(drop), known=_shown(words, known), answer=known.answer)]
    if known.earlier is not None:
        counts = context.ledger.read(ledger_rows.count_rows, reading_id)
        taken = sum(counts.values()) - counts.get(RowState.REFUSED, 0)
        billed = skipped_rows(context, reading_id)
        sentences.append(words.text("inbox.same_nothing" if not taken else "inbox.same_taken", count=taken))
        sentences += [words.text("inbox.same_billed", count=billed)] if billed else []
        remarks = taken_back_remarks(context, known.earlier.file_id)
        sentences += [words.say(each) for each in remarks]
        sentences += ["", words.text("inbox.same_mend")]
    write_note(note, "\r\n".join([*sentences, ""]))


def _shown(words: Catalogue, known: CopiedFile) -> str:
    """Return the file's name, when it came, and what its folders or its operator asked for."""
    if known.earlier is None:
        return known.name
    asked = known.earlier.options
    month, cnpj, sender = (asked.get(name) for name in ("competence", "emitter_cnpj", "sender"))
    parts = [known.earlier.started_at.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M")]
    parts += [words.text("inbox.same_month", competence=month)] if month else []
    parts += [words.text("inbox.same_emitter", cnpj=Document("cnpj", cnpj).formatted)] if cnpj else []
    parts += [words.text("inbox.same_sender", sender=sender)] if sender else []
    return f"{known.name} ({', '.join(parts)})"
