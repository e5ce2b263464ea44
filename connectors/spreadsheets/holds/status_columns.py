"""Decide from all statuses of a column what they mean: progress of work, returned payments, or unknown."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.headers.billing_headers import judged_as
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.holds import billing_markers, non_charges
from connectors.spreadsheets.holds.work_statuses import are_finished_and_under_way, are_of_work
from connectors.spreadsheets.parsers import cells

MOST: Final = 200
"""A column with this many different texts or more has no statuses: its unknown texts hold no row."""
_FEWEST_SENTENCES: Final = 2
_WORDS_OF_A_SENTENCE: Final = 2.5
"""A column whose texts have this many words on average has sentences rather than statuses."""
_WORK: Final = frozenset({"os", "ordem", "servico", "servicos", "execucao", "chamado", "chamados", "atendimento",
                          "visita", "tarefa", "job", "obra", "ticket", "manutencao", "instalacao"})  # fmt: skip
"""Words of a header whose status is that of work."""
_ORDERS: Final = frozenset({"os", "ordem de servico", "numero os", "chamado", "numero chamado", "ticket", "job"})
"""Headers of a list of orders for work."""
_APART: Final = frozenset({"deal", "work", "paper"})
"""Rules without unknown statuses: `deal` and `work` hold any that they do not know, and `paper` hardly matters."""
_PAID: Final = re.compile(r"^(?:pag[oa]|recebid|quitad|liquidad|paid|succeeded)")
_CAME_BACK: Final = re.compile(
    r"^(?:reembolsad|estornad|charge ?back|refund|disputed|void|draft|failed|uncollectible|expired|partially.paid|"
    r"removid)"
)
"""Statuses of payments that were not made or were returned; only lists of payment platforms have them."""
_GOOD: Final = re.compile(
    r"\b(?:ac?tiv[oa]|ativad[oa]|adimpl|inadimpl|regular|normal|vigente|liberad|aprovad|autorizad|confirmad|"
    r"(?<!no )aprobad|em dia|em uso|"
    r"(?:a|para|por|pode) (?:faturar|emitir|cobrar|receber|vencer|pagar|entregar|enviar|retirar|postar|emissao|"
    r"vista|prazo)|"
    r"(?:em )?abert[oa]|pendente|vencid|atras|renovad|nov[oa]s?|contratad|assinad|fechad|matriculad|frequente|"
    r"implantad|homologad|ocupad|locad|alugad|compareceu|presente|em curso|cursando|vivo|pending|"
    r"em (?:vigor|operacao|rota|producao)|habilitad|permanente|titular|disponivel|quite|manter|mantid|"
    r"continu|segue|em (?:execucao|andamento)|reajustad|embalad|impress|etiqueta|complet|"
    r"liquidac|atendid|realizad|executad|prestad|entreg|concluid|"
    r"finalizad|conferid|validad|efetiv|reativad|mensal|recorrente|avulso|gerad|registrad|separ|pront[oa]|transito|"
    r"a caminho|despach|postad|expedi|prepar|process|coletad|retirad|faturar|emitir|cobrar|"
    r"active|open|due|unpaid|overdue|current|enabled|ready|approved|shipped|delivered|completed|fulfilled|won|"
    r"ganh|vendid|"
    r"processing|succeeded|captur|settled|authorized)|^(?:sim|s|x|1)$|"
    r"^(?:ok\b|pag[oa]|paid|envi(?:o|ad)|recebid)|"
    r"^(?:nao|sem) (?:pag|receb|quitad|vencid|faturad|emitid|pendenc|bloque|cancel)|[✅✓✔☑]"
)
_REALIZED: Final = re.compile(r"\b(?:realizad|efetivad|confirmad|executad|actual\b)")
_INVOICES: Final = re.compile(r"\b(?:invoice|nota|nf|nfse|nfs|faturamento)\b")
_DRAFT: Final = re.compile(r"draft|minuta")
"""An invoice that is only a draft is still to be issued."""
_NOT: Final = re.compile(r"\b(?:nao|not|sem)\b")


def judges_of(header: Header, texts: Mapping[int, Collection[str]]) -> dict[tuple[str, int], str]:
    """Return the rules (`billing_markers.stops_of`) of status columns that the usual rule would misread.

    They are by sign and column. A finished order for work is billed, and one under way is not. In a payment platform's
    list, the paid rows are valid sales. Beside what was done, what is only planned is not billed. An invoice that
    awaits its payment was issued; a charge that does was not. `texts` are the statuses by column.
    """
    has_orders = any(normalised(text) in _ORDERS for text in header.texts.values())
    found: dict[tuple[str, int], str] = {}
    for sign, index in header.signs:
        if sign != "status":
            continue
        title, words = header.texts.get(index, ""), [cells.plain(text) for text in texts.get(index, ())]
        names_work = bool(_WORK.intersection(normalised(title).split()))
        is_of_work = (names_work or has_orders) and are_of_work(words)
        if judged_as(sign, title) == sign and (is_of_work or are_finished_and_under_way(words)):
            found[sign, index] = "work"
        elif any(map(_PAID.search, words)) and any(map(_CAME_BACK.search, words)):
            found[sign, index] = "sale"
        elif any(map(_REALIZED.search, words)) and any(map(non_charges.PLANNED.search, words)):
            found[sign, index] = "realized"
        elif _INVOICES.search(normalised(title)) and any(map(billing_markers.is_unpaid_charge, words)):
            found[sign, index] = "invoice"
    return found


def unknown_statuses(
    header: Header, texts: Mapping[int, Collection[str]], judges: Mapping[tuple[str, int], str]
) -> dict[int, frozenset[str]]:
    """Return the unknown statuses of each status column in which other statuses hold rows. `texts` are by column."""
    found: dict[int, frozenset[str]] = {}
    for sign, index in header.signs:
        if sign == "status":
            judge = judges.get((sign, index)) or judged_as(sign, header.texts.get(index, ""))
            unknown = _unknown(judge, texts.get(index, ()))
            if _INVOICES.search(normalised(header.texts.get(index, ""))):
                unknown = frozenset(text for text in unknown if not _DRAFT.match(cells.plain(text)))
            if unknown and len(texts.get(index, ())) < MOST:
                found[index] = unknown
    return found


def are_statuses(texts: Collection[str]) -> bool:
    """Return whether one of these normalized texts is a known status, for or against billing."""
    return any(_is_good(text) or billing_markers.stop_of("status", text) is not None for text in texts)


def _are_sentences(texts: Collection[str]) -> bool:
    """Return whether the texts describe events instead of naming statuses: `Audiência em 14/01/2027`."""
    words = [len(text.split()) for text in texts]
    return len(words) >= _FEWEST_SENTENCES and sum(words) >= _WORDS_OF_A_SENTENCE * len(words)


def _unknown(judge: str, texts: Collection[str]) -> frozenset[str]:
    if judge in _APART or _are_sentences(texts):
        return frozenset()
    held = {text: billing_markers.stop_of(judge, text) is not None for text in texts if not cells.says_nothing(text)}
    if not any(held.values()):
        return frozenset()
    return frozenset(text for text, is_held in held.items() if not is_held and not _is_good(cells.plain(text)))


def _is_good(word: str) -> bool:
    if billing_markers.is_unpaid_charge(word):
        return True
    found = _GOOD.search(word)
    return found is not None and not (_NOT.search(word) and not _NOT.match(found[0]))
