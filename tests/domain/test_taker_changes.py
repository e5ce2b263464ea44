"""A sheet changes only fields that differ, and none that it leaves empty."""

from dataclasses import replace

from domain.documents import Document
from domain.parties import TakerData
from domain.taker_changes import Change, changed_data, changes

THEIRS = TakerData(
    document=Document("cnpj", "99000001000101"),
    name="Marés Ltda",
    emails=("velho@mares.example",),
    phone="(11) 91234-5678",
    street="Rua A",
    zip_code="01310-100",
    city_code="3550308",
    city="São Paulo",
    state="SP",
)


def test_spelling_and_punctuation_are_no_change():
    ours = replace(
        THEIRS, name="MARES  LTDA", phone="11912345678", zip_code="01310100", emails=("VELHO@mares.example",)
    )
    assert changes(THEIRS, ours) == ()


def test_an_empty_cell_changes_nothing():
    assert changes(THEIRS, TakerData(document=THEIRS.document)) == ()


def test_an_email_that_is_one_of_the_sheets_stays():
    both = replace(THEIRS, emails=("novo@mares.example", "velho@mares.example"))
    assert changes(THEIRS, both) == ()
    new = replace(THEIRS, emails=("novo@mares.example",))
    assert changes(THEIRS, new) == (Change("email", "velho@mares.example", "novo@mares.example"),)
    assert changed_data(new, changes(THEIRS, new)) == TakerData(emails=("novo@mares.example",))


def test_a_city_changes_as_a_whole():
    moved = replace(THEIRS, city_code="3304557", city="Rio de Janeiro", state="RJ", street="Rua B")
    found = changes(THEIRS, moved)
    assert found == (Change("street", "Rua A", "Rua B"), Change("city", "São Paulo/SP", "Rio de Janeiro/RJ"))
    assert {each.group for each in found} == {"address"}
    place = TakerData(street="Rua B", city_code="3304557", city="Rio de Janeiro", state="RJ")
    assert changed_data(moved, found) == place


def test_unknown_fields_are_filled_in():
    bare = TakerData(document=THEIRS.document, name="Marés Ltda")
    assert changes(bare, replace(bare, fancy_name="Marés")) == (Change("fancy_name", "", "Marés"),)
