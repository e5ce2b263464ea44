"""All rows' statements about a taker are compared, anywhere in the file; unanimous ones need no memory."""

import json

from domain.corrections.answers import NAME_DIFFERS
from tasks.services.taker_merge import TakerMerge, TakerStatement
from tests.tasks.rows import RIO, SAO_PAULO, company, line, taker


def merged(*lines):
    raw = [each.to_json() for each in lines]
    statements = TakerMerge()
    statements.collect(raw)
    if statements.differ:
        statements.collect_differing(raw)
    return statements


def number(which=1):
    return company(which).number


def test_equal_statements_of_all_rows_do_not_differ():
    statements = merged(line(1), line(2), line(1, service_cents=7))
    assert not statements.differ
    assert statements.disputed(number()) == frozenset()
    own = TakerStatement(taker(1), RIO)
    assert statements.of(number(), own) == [own]


def test_different_statements_keep_the_order_of_their_rows():
    bare = taker(1, street=None)
    statements = merged(line(1), line(2), line(3, taker=bare), line(4, taker=taker(1), emitter_cnpj=SAO_PAULO), line(1))
    assert statements.differ
    assert statements.of(number(), TakerStatement(bare, RIO)) == [
        TakerStatement(taker(1), RIO),
        TakerStatement(bare, RIO),
        TakerStatement(taker(1), SAO_PAULO),
    ]
    assert statements.disputed(number()) == frozenset()
    assert statements.of(number(2), TakerStatement(taker(2), RIO)) == [TakerStatement(taker(2), RIO)]
    assert statements.emitters == {RIO, SAO_PAULO}


def test_a_contradiction_names_its_fields():
    statements = merged(line(1), line(1, taker=taker(1, name="Outro", street="RUA  DAS  LARANJEIRAS")))
    assert statements.disputed(number()) == {"name"}


def test_rows_without_a_document_or_an_emitter_are_about_nobody():
    statements = merged(
        line(1, taker=taker(1, document=None)), line(1, taker=taker(2, document=None), emitter_cnpj=None)
    )
    assert (statements.differ, statements.emitters) == (False, {RIO})


def test_rows_of_one_taker_share_their_texts_in_memory():
    raw = [json.loads(json.dumps(line(1, taker=taker(1, phone=phone)).to_json())) for phone in ("1", "2", "3")]
    statements = TakerMerge()
    statements.collect(raw)
    statements.collect_differing(raw)
    first, *others = (each.taker for each in statements.of(number(), TakerStatement(taker(1), RIO)))
    assert [each.phone for each in (first, *others)] == ["1", "2", "3"]
    assert all(each.street is first.street and each.document is first.document for each in others)


def test_the_statement_from_json_equals_the_lines():
    for each in (line(1), line(2, updates_register=True, answered=[NAME_DIFFERS]), line(3, emitter_cnpj=None)):
        assert TakerStatement.from_json(each.to_json()) == TakerStatement.of(each)
