"""Make the XML and the PDF of an emulator's invoice: a list of its facts, in no real document's layout."""

import re
from collections.abc import Sequence
from html import escape
from typing import Final

Fact = tuple[str, str, str]
"""Name, label and text of one fact in a document."""
MEDIA: Final = {"mirror": "text/html; charset=utf-8", "xml": "application/xml", "pdf": "application/pdf"}
_TOP, _LEADING = 780, 22


def xml_of(root: str, facts: Sequence[Fact]) -> bytes:
    """Return an XML document with one element for each fact."""
    fields = "".join(f"<{name}>{escape(_xml_text(text))}</{name}>" for name, _, text in facts)
    return f'<?xml version="1.0" encoding="UTF-8"?><{root}>{fields}</{root}>'.encode()


def _xml_text(text: str) -> str:
    """Return the text without characters that XML cannot contain."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", " ", text)


def pdf_of(title: str, facts: Sequence[Fact]) -> bytes:
    """Return a PDF of one page with one line for each fact. Needs no PDF library: six objects and their offsets."""
    texts = [(title, 16), *((f"{label}: {text}"[:90], 11) for _, label, text in facts)]
    drawn = b"".join(
        f"BT /F1 {size} Tf 50 {_TOP - row * _LEADING} Td (".encode() + _pdf_text(text) + b") Tj ET\n"
        for row, (text, size) in enumerate(texts)
    )
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Length %d>>\nstream\n%sendstream" % (len(drawn), drawn),
    ]
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, len(written))
    return written + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + tail


def _pdf_text(text: str) -> bytes:
    return re.sub(rb"([\\()])", rb"\\\1", text.encode("cp1252", "replace"))
