"""A tag identifies one row of one ledger."""

from hypothesis import given
from hypothesis import strategies as st

from domain.corrections.row_tags import is_tag, last_tag, tag_of, tagged_row

SECRET = bytes(range(32))


@given(st.integers(min_value=0, max_value=2**40 - 1))
def test_a_tag_is_read_back_with_the_same_secret_alone(row_id):
    tag = tag_of(row_id, secret=SECRET)
    assert len(tag) == 17
    assert is_tag(tag)
    assert tagged_row(tag, secret=SECRET) == row_id
    assert tagged_row(tag, secret=b"another") is None


def test_a_mistyped_tag_is_no_other_rows():
    tag = tag_of(4_711, secret=SECRET)
    for place in range(1, 17):
        changed = tag[:place] + ("B" if tag[place] == "A" else "A") + tag[place + 1 :]
        assert tagged_row(changed, secret=SECRET) is None


def test_peoples_text_is_no_tag():
    tag = tag_of(1, secret=SECRET)
    for text in ("", "R", "Rua das Laranjeira", tag.lower(), tag[1:], tag + "A", "R1234567890123456"):
        assert not is_tag(text), text
        assert tagged_row(text, secret=SECRET) is None, text


def test_the_tag_at_the_end_of_a_comment_is_found():
    tag, other = tag_of(1, secret=SECRET), tag_of(2, secret=SECRET)
    assert last_tag(f"O valor não é um número.\n{tag}\n") == tag
    assert last_tag(f"{other} {tag}") == tag
    assert last_tag(f"{tag} e mais nada") is None
