"""What an error tells a person about its request: every known fact once, and no empty place between commas."""

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from connectors.http.errors import Broken, ConnectorError, Disturbed, NotFound


@pytest.mark.parametrize(
    ("error", "facts"),
    [
        (NotFound("GET takers/7", status=404), "GET takers/7, 404"),
        (Broken("GET takers/7", detail="ConnectTimeout"), "GET takers/7, ConnectTimeout"),
        (
            Disturbed("POST webhooks", status=400, detail="url: No valid response."),
            "POST webhooks, 400, url: No valid response",
        ),
    ],
)
def test_a_message_omits_missing_facts(error: ConnectorError, facts: str) -> None:
    for language in LANGUAGES:
        text = Catalogue.load(language).say(error.problem)
        assert f": {facts}.)" in text
        assert not any(doubled in text for doubled in ("..", ", .", ", ,"))
