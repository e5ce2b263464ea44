"""The application that combines the emulators."""

from connectors.sandbox import build_sandbox


def test_application_can_be_built_without_a_socket():
    assert callable(build_sandbox())
