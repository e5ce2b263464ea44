"""`python -m tests.faults.matrix.chaos RUNS [NOTES] [WORKERS] [SEED]`: the long matrix, and its table.

Workers are processes of their own, each with a sandbox; what they have seen comes as a line of JSON for each run.
"""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tests.faults.matrix import cases
from tests.faults.matrix.booth import Booth
from tests.sandboxes import running_sandbox

Line = dict[str, Any]
_HERE: Final = "tests.faults.matrix.chaos"
_FOUND_OUT: Final = ("prevented", "detected before send", "detected after", "SILENT")
_EVERY_S: Final = 10.0


def main(arguments: Sequence[str]) -> int:
    """Exit code 1 when any run had a fault."""
    if arguments[:1] == ["--worker"]:
        return _work(*map(int, arguments[1:]))
    runs, notes, workers, seed = (*map(int, arguments), *(1000, 100, os.cpu_count() or 1, 1)[len(arguments) :])
    began, results = time.monotonic(), []
    told = began
    # interrupted, it tells what it has seen so far
    with contextlib.suppress(KeyboardInterrupt):
        for result in _results(runs, notes, workers, seed):
            results.append(result)
            if result["faults"]:
                print(f"\nFAULT in {result['case']}\n" + "\n".join(result["faults"]), flush=True)
            if time.monotonic() - told > _EVERY_S:
                told = time.monotonic()
                print(_so_far(results, runs), flush=True)
    print("\n".join(table(results, time.monotonic() - began)))
    return int(len(results) < runs or any(each["faults"] for each in results))


def _so_far(results: Sequence[Line], runs: int) -> str:
    bad = sum(bool(each["faults"]) for each in results)
    return f"{len(results)} of {runs} runs, {sum(each['notes'] for each in results)} notes, {bad} bad"


def table(results: Sequence[Line], seconds: float) -> Iterator[str]:
    """How many runs, kills and notes of each kind, and what became of what was done from outside."""
    kinds: defaultdict[str, list[Line]] = defaultdict(list)
    for each in results:
        kinds[f"{each['line']}: {each['kind']}"].append(each)
    yield f"{'':58} {'runs':>6} {'notes':>8} {'faults':>7}"
    for kind, group in sorted(kinds.items()):
        yield _row(kind, group)
    yield _row("all", results)
    yield f"{seconds:.0f} s, {seconds / max(1, len(results)):.2f} s a run"
    outside: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in results:
        if each["found_out"]:
            outside[each["kind"]][each["found_out"]] += 1
    yield ""
    yield f"{'from outside':34} " + " ".join(f"{name:>20}" for name in _FOUND_OUT)
    for kind, counts in sorted(outside.items()):
        yield f"{kind:34} " + " ".join(f"{counts[name]:>20}" for name in _FOUND_OUT)


def _row(kind: str, group: Sequence[Line]) -> str:
    notes, bad = sum(each["notes"] for each in group), sum(bool(each["faults"]) for each in group)
    return f"{kind:58} {len(group):>6} {notes:>8} {bad:>7}"


def _results(runs: int, notes: int, workers: int, seed: int) -> Iterator[Line]:
    """From all workers, as they come."""
    each = -(-runs // workers)
    commands = [
        [sys.executable, "-m", _HERE, "--worker", str(min(each, runs - place * each)), str(notes), str(seed + place)]
        for place in range(workers)
        if runs > place * each
    ]
    yield from _lines([subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands])


def _lines(processes: Sequence["subprocess.Popen[str]"]) -> Iterator[Line]:
    with selectors.DefaultSelector() as selector:
        for process in processes:
            assert process.stdout is not None
            selector.register(process.stdout, selectors.EVENT_READ, process)
        while selector.get_map():
            for key, _ in selector.select():
                text = key.fileobj.readline()  # type: ignore[union-attr]
                if text:
                    yield json.loads(text)
                else:
                    selector.unregister(key.fileobj)
                    key.data.wait()


def _work(runs: int, notes: int, seed: int) -> int:
    with tempfile.TemporaryDirectory() as home, running_sandbox(in_thread=True) as sandbox:
        booth = Booth(Path(home), sandbox, notes)
        calms = {(line, plot): booth.calm(line, plot) for line, plots in cases.PLOTS.items() for plot in plots}
        outside = {line: booth.calm(line, outside="nobody") for line in cases.PLOTS}
        for case in islice(cases.sample(calms, outside, seed), runs):
            verdict = booth.play(case)
            line: Line = {"line": case.line, "kind": case.kind, "case": str(case), "faults": verdict.faults}
            line |= {"notes": verdict.notes, "found_out": verdict.found_out, "seconds": verdict.seconds}
            print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
