"""The resource limits of a guarded process, enforced by the kernel."""

import math
import os
import resource
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits of one guarded process: seconds of CPU and of wall time, bytes of address space and of its result."""

    cpu_s: int
    wall_s: float
    memory_bytes: int
    result_bytes: int

    def apply(self) -> None:
        """Apply the limits to the current process until it ends."""
        for kind, most in (
            (resource.RLIMIT_CPU, self.cpu_s),
            (resource.RLIMIT_AS, self.memory_bytes),
            (resource.RLIMIT_FSIZE, self.result_bytes),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(kind)
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (least, least))
        # without a handler the kernel ends the process, even one that never returns to Python
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, max(self.wall_s, math.ulp(1.0)))
        with suppress(OSError):
            # if memory runs out, the kernel ends this process before our others
            Path(f"/proc/{os.getpid()}/oom_score_adj").write_text("1000", encoding="ascii")
