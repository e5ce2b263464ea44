"""Takers: conversion in both directions, contradictions, and missing fields by city."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cities import CITY_RULES, RIO_DE_JANEIRO, SAO_PAULO
from domain.documents import Document
from domain.parties import (
    LIMITS,
    TakerData,
    conflicts,
    disputed_fields,
    fill_missing,
    missing_for,
    registered_document,
    taker_problems,
)

CNPJ = Document("cnpj", "99ABC001000157")
FULL = TakerData(
    document=CNPJ,
    name="Padaria São João Ltda",
    fancy_name="São João",
    city_inscription="001234",
    state_inscription="ISENTO",
    emails=("financeiro@padaria.example", "dono@padaria.example"),
    phone="11912345678",
    street="Rua das Flores",
    number="S/N",
    complement="Fundos",
    neighborhood="Centro",
    city_code="3550308",
    city="São Paulo",
    state="SP",
    zip_code="01310100",
)
TEXT = st.none() | st.text(max_size=12)
TAKERS = st.builds(
    TakerData,
    document=st.none() | st.just(CNPJ) | st.just(Document("cpf", "52998224725")),
    emails=st.lists(st.text(max_size=9), max_size=3).map(tuple),
    **{field.name: TEXT for field in dataclasses.fields(TakerData) if field.name not in ("document", "emails")},
)


@given(TAKERS)
def test_a_taker_survives_the_ledger(taker):
    assert TakerData.from_json(json.loads(json.dumps(taker.to_json()))) == taker


def test_two_rows_contradict_only_where_both_say_something_else():
    other = dataclasses.replace(
        FULL,
        name="PADARIA  SAO JOAO LTDA",
        complement=None,
        street="Av. Brasil",
        emails=FULL.emails[::-1],
        zip_code="04001000",
    )
    assert conflicts(FULL, other) == ["street", "zip_code"]
    assert conflicts(FULL, TakerData()) == []


@given(TAKERS, TAKERS)
def test_contradiction_is_symmetric_and_merging_loses_nothing(one, other):
    assert conflicts(one, other) == conflicts(other, one)
    assert conflicts(one, one) == []
    assert disputed_fields([one, one, other]) == set(conflicts(one, other))
    both = fill_missing(one, other)
    assert conflicts(both, one) == []
    assert all(getattr(both, field.name) for field in dataclasses.fields(one) if getattr(other, field.name))


def test_sao_paulo_wants_city_and_state_and_rio_does_not():
    bare = TakerData(document=CNPJ, name="Ana")
    assert missing_for(bare, CITY_RULES[RIO_DE_JANEIRO]) == []
    assert set(missing_for(bare, CITY_RULES[SAO_PAULO])) == {"state", "city"}
    assert missing_for(TakerData(), CITY_RULES[RIO_DE_JANEIRO]) == ["document", "name"]
    assert [problem.code for problem in taker_problems(bare, CITY_RULES[SAO_PAULO])] == ["taker.missing"] * 2


@pytest.mark.parametrize(("field", "limit"), LIMITS.items())
def test_every_text_has_the_documents_size(field, limit):
    def holding(text):
        change: dict[str, Any] = {"emails": (text,)} if field == "email" else {field: text}
        return dataclasses.replace(FULL, **change)

    assert taker_problems(holding("x" * limit), CITY_RULES[SAO_PAULO]) == []
    (problem,) = taker_problems(holding("x" * (limit + 1)), CITY_RULES[SAO_PAULO])
    assert (problem.code, problem.field, dict(problem.params)) == (
        "text.too_long",
        field,
        {"length": limit + 1, "limit": limit},
    )


def test_invisible_characters_are_refused_before_the_city_sees():
    (problem,) = taker_problems(dataclasses.replace(FULL, name="Padaria\u0007"), CITY_RULES[SAO_PAULO])
    assert (problem.code, problem.field) == ("text.characters", "name")


@pytest.mark.parametrize(
    ("ours", "registered", "found"),
    [
        ("Zyx", {"cpf": "Zyx Norte"}, "cpf"),
        ("Zyx", {"cnpj": "ZYX"}, "cnpj"),
        ("Zyx", {"cpf": "Zyx", "cnpj": "Zyx"}, None),
        ("Zyx", {"cpf": "Zyx", "cnpj": "Padaria do Sol"}, None),
        ("Zyx", {"cpf": "Padaria do Sol"}, None),
        ("Zyx", {"cpf": ""}, None),
        (None, {"cpf": "Zyx"}, None),
        ("Zyx", {}, None),
    ],
)
def test_the_only_document_of_a_register_counts_if_both_names_agree(ours, registered, found):
    possible = {"cpf": Document("cpf", "40773000100"), "cnpj": Document("cnpj", "00040773000100")}
    known = {possible[kind].number: TakerData(name=name) for kind, name in registered.items()}
    document = registered_document(TakerData(name=ours), possible.values(), known)
    assert document == possible.get(found)
