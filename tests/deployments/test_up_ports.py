"""Ports in use: everything on one machine starts with its own programs, never with somebody else's."""

import socket
from pathlib import Path

import pytest

from deployments.up import CannotStart, up
from tests.servers import free_port


@pytest.mark.parametrize(("name", "offset"), [("server", 0), ("monitor", 1), ("receiver", None)])
def test_a_port_of_another_program_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, offset: int | None
) -> None:
    """Another Prefect server on the port would get our deployments and answer for ours."""
    port, receiver = free_port(), free_port()
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))
    monkeypatch.setenv("FATURISTA_WEBHOOKS__PORT", str(receiver))
    with socket.create_server(("127.0.0.1", receiver if offset is None else port + offset)) as other:
        with pytest.raises(CannotStart) as refused:
            up("local", port=port)
        problem = refused.value.problem
        assert (problem.code, problem.params["name"]) == ("up.port_taken", name)
        assert problem.params["port"] == other.getsockname()[1]
    assert (tmp_path / "faturista.log").read_bytes() == b""
