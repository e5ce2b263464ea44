"""The suite's own machinery: what it silently stops doing after an upgrade."""

import pytest


@pytest.mark.xdist_group("runner")
def test_grouped_tests_share_a_worker(request: pytest.FixtureRequest) -> None:
    """The worker marks a grouped test's id for the scheduler; where the mark is lost, so is the grouping."""
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("only where tests are shared out by groups: make test")
    assert request.node.nodeid.endswith("@runner")
