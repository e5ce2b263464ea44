"""The bench's figures about the corpus agree with the corpus's own test."""

from tests.load.corpus import rows


def test_no_row_of_the_corpus_is_silently_wrong():
    right, asked, refused, wrong = rows()
    assert right.measured > asked.measured > 0
    assert refused.is_met
    assert wrong.is_met, wrong.remarks
