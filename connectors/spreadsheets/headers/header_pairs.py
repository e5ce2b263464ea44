"""Pair the columns of one party's document and name: `CPF do Responsável` belongs to `Responsável`."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from connectors.spreadsheets.formats.header_texts import stem_of

_DOCUMENT: Final = re.compile(r"(?:cpf cnpj|cnpj cpf|cpf ou cnpj|cnpj ou cpf|cpf|cnpj) (.{1,60})")
_NAME: Final = re.compile(r"(?:nome completo |nome |razao social )?(.{1,60})")
_NO_PAYERS: Final = (
    "profission", "medic", "vendedor", "motorist", "corretor", "professor", "consultor", "sindic", "soci", "represent",
    "contador", "prestador", "emitent", "emissor", "emissora", "filial", "fornecedor", "gerente", "dentist", "psicolog",
    "colaborador", "funcionari", "remetent", "transportador", "indicador", "favorecid", "procurador", "fiador",
    "avalist",
)  # fmt: skip
"""Word stems of people whom a sheet names but does not bill."""
_SERVED: Final = re.compile(
    r"alun|pacient|examinad|avaliad|periciad|segurad(?!ora)|trabalhador|dependent|beneficiari|passageir|hosped(?!ag)|"
    r"atlet|filh|estudant"
)
"""Word stems of people for whom somebody else may pay."""
_PAYERS: Final = ("pagador", "responsave", "contratante", "tomador", "sacado")
BARE: Final = frozenset({"cpf", "cnpj", "cpf cnpj", "cnpj cpf", "documento"})
"""Normalised headers of documents that name no party."""
_AMOUNT: Final = "service_cents"
_EMITTER: Final = "emitter_cnpj"
_EMITTER_NAME: Final = "emitter_name"
_PRICES: Final = frozenset({"valor", "vlr", "vl", "preco", "reais", "tarifa"})
_COUNTS: Final = frozenset({"qtd", "qtde", "quantidade", "quant", "numero", "n", "no", "nro", "total"})
_QUANTITIES: Final = frozenset({"qtd", "qtde", "quantidade", "quant"})
_AMOUNTS_OF: Final = _QUANTITIES | {"total"}
_SMALL_OF_PRICES: Final = frozenset({"por", "da", "das", "do", "dos", "de", "a", "cada", "p", "unitario"})
_KG: Final = "kg"
_MEASURES: Final[Mapping[str, re.Pattern[str]]] = {
    _KG: re.compile(r"(?:peso |qtde? )?(?:liquido )?(?:em )?(?:kgs?|quilos?)"),
    "m2": re.compile(r"(?:area |metragem |qtde? )?(?:em )?(?:m2|metros? quadrados?)"),
    "m3": re.compile(r"(?:volume |qtde? )?(?:em )?(?:m3|metros? cubicos?)"),
}
"""Headers of an amount of goods or of ground, by its unit."""
_REPEATED: Final = frozenset({
    "parcela", "prestacao", "mes", "ano", "contrato", "nota", "servico", "produto", "item", "curso", "fatura", "boleto",
    "total", "mensalidade", "desconto", "imposto", "juro", "multa", "taxa", "pagamento", "deducao", "retencao",
})  # fmt: skip
"""Words of a price that no count of the row multiplies."""
_IN_WHOSE_NAME: Final = re.compile(
    r" (?:(?:a )?(?:nota|nf|nfs e|nfse|fatura|recibo|boleto)(?: fiscal)?(?: sai)? em nome(?: d[eoa])?|"
    r"(?:que|quem) paga|pagante)$"
)
"""A remark in brackets behind the name of the party: `Responsável (nota em nome de)`."""
_SMALL: Final = frozenset({"do", "da", "de", "dos", "das", "o", "a", "financeiro", "financeira"})


def paired(headers: Sequence[str], fields: Sequence[str | None], *, mapped: Collection[str] = ()) -> list[str | None]:
    """Return the fields with document and name of one and the same party. `headers` are normalised.

    The header of the document decides which column of names is taken. If no header is a known alias of the document,
    the only party with both a document column and a name column is taken. Headers that a person `mapped` keep their
    fields.
    """
    found = _with_one_emitter(headers, fields, mapped)
    documents = [index for index, field in enumerate(found) if field == "document"]
    if len(documents) > 1 and not any(headers[index] in mapped for index in documents):
        documents = _of_the_payer(headers, documents)
        found = [None if each == "document" and at not in documents else each for at, each in enumerate(found)]
    if not documents:
        taken = _unnamed_document(headers, found)
        if taken is None:
            return found
        documents = [taken]
        found[taken] = "document"
    if len(documents) == 1:
        name = _name_of(_party(_DOCUMENT, headers[documents[0]]), headers, found)
        name = _payer_before(headers, documents[0], found) if name is None else name
        is_mapped = any(field == "name" and text in mapped for field, text in zip(found, headers, strict=True))
        if name is not None and not is_mapped:
            found = _renamed(found, name)
    return found if any(headers[index] in mapped for index in documents) else _with_another_payer(headers, found)


def _unnamed_document(headers: Sequence[str], found: Sequence[str | None]) -> int | None:
    """Return the column of the customer's documents if no header is a known one; None if several may be it.

    It is the payer's, or else the only one with a column of names among those that need not be somebody else's.
    """
    parties = {index: _party(_DOCUMENT, text) for index, text in enumerate(headers) if found[index] is None}
    parties = {index: party for index, party in parties.items() if party}
    payers = [index for index, party in parties.items() if any(word.startswith(_PAYERS) for word in party)]
    if len(payers) == 1:
        return payers[0]
    own = [index for index in parties if not is_of_somebody_else(headers[index])] or list(parties)
    is_named = len(own) == 1 and _name_of(parties[own[0]], headers, found) is not None
    return own[0] if is_named else None


def _with_one_emitter(
    headers: Sequence[str], fields: Sequence[str | None], mapped: Collection[str]
) -> list[str | None]:
    """Make the second column of the emitter that of its name: `Empresa Prestadora` beside `CNPJ Prestadora`."""
    found = list(fields)
    places = [index for index, field in enumerate(found) if field == _EMITTER]
    numbered = [index for index in places if "cnpj" in headers[index].split()]
    if len(places) == 1 + len(numbered) == 2 and not any(headers[index] in mapped for index in places):
        named = next(index for index in places if index not in numbered)
        found[named] = _EMITTER_NAME if _EMITTER_NAME not in found else None
    return found


def counted(headers: Sequence[str], fields: Sequence[str | None], mapped: Collection[str] = ()) -> list[str | None]:
    """Add quantity and unit price to the fields, if one pair of columns has them: `Plantões` and `Valor plantão`.

    The header of a count is a plural or names a count. A price that is only repeated, such as an instalment, has no
    count. A column of amounts beside a count of the same thing is its unit price (`Qtd consultas` and `Valor da
    consulta`), unless a person mapped its header.
    """
    found = list(fields)
    prices = {
        index: thing
        for index, text in enumerate(headers)
        if (found[index] in (None, "unit_price") or (found[index] == _AMOUNT and text not in mapped))
        and (thing := _thing_priced(text))
    }
    if not prices:
        return found
    pairs = [
        (index, price)
        for index, text in enumerate(headers)
        if found[index] in (None, "quantity") and (thing := _thing_counted(text))
        for price, priced in prices.items()
        if thing == priced and (found[price] != _AMOUNT or _says_how_many(text))
    ]
    # a price of what another column than the quantity counts is no unit price
    if len(pairs) == 1 and ("quantity" not in found or found[pairs[0][0]] == "quantity"):
        for index, field in zip(pairs[0], ("quantity", "unit_price"), strict=True):
            if field not in found and found[index] in (None, _AMOUNT):
                found[index] = field
    return found


def _says_how_many(header: str) -> bool:
    """Return whether a header can only be that of a count: `Nº do título` may be the number of a title."""
    words = [word for word in header.split() if word not in _SMALL_OF_PRICES]
    return words[0] in _QUANTITIES or (words[0] not in _COUNTS and _is_plural(words))


def counts_of(price: str, headers: Mapping[int, str]) -> list[int]:
    """Return the columns that count the thing whose price a normalised header names: `Visitas` of `Valor visita`."""
    thing = _thing_priced(price)
    return [index for index, text in headers.items() if thing and text != price and _thing_counted(text) == thing]


def is_of_all(header: str) -> bool:
    """Return whether a price may be that of all counted things: `Valor das diárias`."""
    named = _named_in_price(header)
    return named != [stem_of(word) for word in named]


def _named_in_price(header: str) -> list[str]:
    """Return the words of the things whose price a header names."""
    first, *words = header.split() or [""]
    return [word for word in words if word not in _SMALL_OF_PRICES | _PRICES] if first in _PRICES else []


def _thing_priced(header: str) -> str:
    """Return the one thing whose price a header names, or an empty text."""
    words = _named_in_price(header)
    if is_of_all(header):
        return ""
    words = [_KG if word == "quilo" else word for word in words]
    return " ".join(words) if not _REPEATED.intersection(words) else ""


def _thing_counted(header: str) -> str:
    measured = next((unit for unit, pattern in _MEASURES.items() if pattern.fullmatch(header)), None)
    if measured is not None:
        return measured
    words = [word for word in header.split() if word not in _SMALL_OF_PRICES]
    bare = [stem_of(word) for word in words if word not in _COUNTS]
    is_count = bool(_AMOUNTS_OF.intersection(words)) or _is_plural(words)
    return " ".join(bare) if is_count and not _REPEATED.intersection(bare) else ""


def _is_plural(words: Sequence[str]) -> bool:
    """Return whether words name several things: `Medição Nº` is the number of one."""
    things = [word for word in words if word not in _COUNTS]
    return things != [stem_of(word) for word in things]


def _with_another_payer(headers: Sequence[str], found: Sequence[str | None]) -> list[str | None]:
    """Take the payer's document if the only known one is that of a pupil or a patient.

    If the headers do not show whether the mother or another person pays, mark both columns: a person must choose one.
    """
    marked = list(found)
    documents = [index for index, field in enumerate(found) if field == "document"]
    if len(documents) != 1 or not _is_served(headers, documents[0]):
        return marked
    others = {index: named for index, text in enumerate(headers) if (named := _party(_DOCUMENT, text))}
    for index, named in others.items():
        if marked[index] is None and not any(map(_SERVED.match, named)):
            marked[index] = "document"
            if any(word.startswith(_PAYERS) for word in named):
                marked[documents[0]] = None
                name = _name_of(named, headers, found)
                return marked if name is None else _renamed(marked, name)
    return marked


def _renamed(fields: Sequence[str | None], name: int) -> list[str | None]:
    """Return the fields with column `name` as the only one of names."""
    bare = [None if field == "name" else field for field in fields]
    return [*bare[:name], "name", *bare[name + 1 :]]


def _is_served(headers: Sequence[str], index: int) -> bool:
    """Return whether a document is that of a person for whom somebody else may pay."""
    is_bare = headers[index] in BARE
    words = headers[index - 1].split() if is_bare and index else headers[index].split()
    return any(map(_SERVED.match, words))


def of_somebody_else(headers: Sequence[str], index: int) -> bool:
    """Return whether a header in `BARE` belongs to somebody who is not billed: `CPF` right behind `Funcionário`."""
    is_bare = headers[index] in BARE
    before = headers[index - 1].split() if is_bare and index else ()
    return _are_of_somebody_else(before)


def _are_of_somebody_else(words: Iterable[str]) -> bool:
    return any(word.startswith(_NO_PAYERS) or _SERVED.match(word) for word in words)


def is_of_somebody_else(header: str) -> bool:
    """Return whether a normalised header names somebody who is not billed."""
    return _are_of_somebody_else(header.split())


def _of_the_payer(headers: Sequence[str], documents: Sequence[int]) -> list[int]:
    """Return the columns of documents without those of other people, and of numbers that need not be a CPF or CNPJ.

    All columns if none would be left.
    """
    words = {index: headers[index].split() for index in documents}
    numbers = [index for index in documents if not {"cpf", "cnpj", "cgc"} & set(words[index])]
    behind = [index for index in documents if of_somebody_else(headers, index)]
    others = [index for index in documents if is_of_somebody_else(headers[index])]
    for left_out in (numbers, behind, others):
        documents = [index for index in documents if index not in left_out] or documents
    return list(documents)


def _name_of(party: frozenset[str], headers: Sequence[str], fields: Sequence[str | None]) -> int | None:
    """Return the only free column whose header is this party or this party's name, or None."""
    if not party:
        return None
    places = [
        index
        for index, text in enumerate(headers)
        if fields[index] in (None, "name") and _DOCUMENT.fullmatch(text) is None and _party(_NAME, text) == party
    ]
    return places[0] if len(places) == 1 else None


def _payer_before(headers: Sequence[str], document: int, fields: Sequence[str | None]) -> int | None:
    """Return the column of a payer right before a bare document, if the sheet else names only a pupil or a patient."""
    words = _party(_NAME, headers[document - 1]) if document and headers[document] in BARE else frozenset()
    if not words or fields[document - 1] is not None or not all(word.startswith(_PAYERS) for word in words):
        return None
    names = [text for text, field in zip(headers, fields, strict=True) if field == "name"]
    served = [text for text in names or headers if any(map(_SERVED.match, text.split()))]
    return document - 1 if served and (served == names or not names) else None


def _party(form: re.Pattern[str], header: str) -> frozenset[str]:
    """Return the words of a header that name a party who may be billed, or no words."""
    found = form.fullmatch(_IN_WHOSE_NAME.sub("", header))
    words = frozenset(map(stem_of, found[1].split())) - _SMALL - {""} if found is not None else frozenset()
    return frozenset() if any(word.startswith(_NO_PAYERS) for word in words) else words
