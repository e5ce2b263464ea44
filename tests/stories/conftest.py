"""The stage on which stories play, for every test of this folder."""

from tests.faults.theatre import theatre

__all__ = ["theatre"]
