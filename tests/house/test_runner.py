"""The suite's own machinery: checks of features that an upgrade could silently break."""

import pytest


@pytest.mark.xdist_group("runner")
def test_grouped_tests_share_a_worker(request: pytest.FixtureRequest) -> None:
    """The worker marks a grouped test's id for the scheduler; without the mark there is no grouping."""
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("only where tests are shared out by groups: make test")
    assert request.node.nodeid.endswith("runner")
