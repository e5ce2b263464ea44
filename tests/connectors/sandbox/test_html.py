"""Everything that is not markup is text, whatever it looks like."""

from connectors.sandbox.html import Markup, tag, together


def test_texts_and_attributes_are_escaped():
    assert tag("p", "<b>&", title='"><i>') == '<p title="&quot;&gt;&lt;i&gt;">&lt;b&gt;&amp;</p>'


def test_elements_stay_and_none_is_nothing():
    assert (
        tag("p", tag("b", 1), None, class_="a", id=None, http_equiv="x") == '<p class="a" http-equiv="x"><b>1</b></p>'
    )
    assert tag("meta", charset="utf-8") == '<meta charset="utf-8">'
    assert together([Markup("<i></i>"), "<i>"]) == "<i></i>&lt;i&gt;"
