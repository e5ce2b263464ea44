"""One line of `make bench`: the measured figure, its target, and whether it is good enough."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    """`P1`; a comparison without a target has none."""
    what: str
    measured: float
    target: float | None = None
    against: str = ""
    is_ceiling: bool = False
    """True: the target is a maximum, not a minimum."""
    unit: str = ""
    stretch: str = ""
    """A better value, shown beside the target."""
    remarks: tuple[str, ...] = ()
    """Explanations, shown below."""

    @property
    def is_met(self) -> bool:
        if self.target is None:
            return True
        return self.measured <= self.target if self.is_ceiling else self.measured >= self.target

    def lines(self) -> list[str]:
        figure = f"{self.measured:.2f}{self.unit}"
        text = f"{self.name:4}{self.what:54}{self.against:32}{figure:>9}"
        if self.target is not None:
            aim = f"{'≤' if self.is_ceiling else '≥'} {self.target:.2f}{self.unit}{self.stretch}"
            text += f"   {aim:15}{'meets' if self.is_met else 'falls short'}"
        return [text, *(f"      {remark}" for remark in self.remarks)]


HEADING = f"{'':4}{'':54}{'against':32}{'measured':>9}   target"


def business() -> str | None:
    """Return why these numbers are worth little, if they are: others used the machine meanwhile."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    return f"The machine was busy with other things (load {load:.1f} on {cores} cores)." if load > cores else None
