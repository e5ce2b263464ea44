"""Bodies as they arrive: JSON that an answer can repeat, or a refusal."""

import pytest

from connectors.emulation.messages import parse


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b'{"a": [1, "x", null]}', {"a": [1, "x", None]}),
        (b'"\\ud83d\\ude00"', "\N{GRINNING FACE}"),
        (b'"\\\\ud800"', "\\ud800"),
        (b"[" * 40 + b"]" * 40, None),
    ],
)
def test_a_repeatable_body_is_accepted(raw, found):
    assert found is None or parse(raw) == found
    parse(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"{", b"\xff", b"NaN", b"[Infinity]", b'"\\ud800"', b'{"a": "\\uDFFF x"}', b"1" * 5_000,
        b"[" * 70 + b"]" * 70, b'{"a":' * 70 + b"1" + b"}" * 70, b"[" * 100_000,
    ],
)  # fmt: skip
def test_content_that_no_answer_could_repeat_is_refused(raw):
    with pytest.raises(ValueError):
        parse(raw)
