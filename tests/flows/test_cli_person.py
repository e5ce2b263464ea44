"""The commands `person` at the terminal: what was erased, what stays, and refusals in words."""

from tests.flows.terminal import Terminal
from tests.tasks.persons.people import ANA, billed, finished, refused_row
from tests.tasks.workshop import Workshop


def test_a_person_gets_their_data_and_is_forgotten(shop: Workshop, terminal: Terminal):
    finished(shop)
    refused_row(shop)
    exported = terminal("person", "export", ANA.formatted)
    assert (exported.code, "Hand them to the person alone" in exported.output) == (0, True)
    assert ANA.number not in exported.output
    done = terminal("person", "forget", ANA.number, "--because", "asked by letter")
    assert (done.code, "in 2 rows" in done.output) == (0, True)
    assert "the law asks for it" in done.output


def test_refusals_are_sentences(shop: Workshop, terminal: Terminal):
    billed(shop)
    for command, sentence in (
        (("export", "123"), "Traceback"),
        (("export", "52998224725"), "Nothing is held"),
        (("forget", ANA.number, "--because", "x"), "still being billed"),
        (("forget", ANA.number, "--because", " "), "Traceback"),
    ):
        ended = terminal("person", *command)
        assert ended.code == 2, command
        assert (sentence in ended.errors) == (sentence != "Traceback"), command


def test_terms_that_ended_are_counted(shop: Workshop, terminal: Terminal):
    refused_row(shop)
    assert "0 archived sheets deleted, 0 held or refused rows emptied" in terminal("person", "expire").output
