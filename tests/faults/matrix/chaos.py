"""`python -m tests.faults.matrix.chaos RUNS [NOTES] [WORKERS] [SEED]`: the long matrix, and its table.

Workers are separate processes, each with a sandbox; each run's result is a line of JSON. Every eighth run has its
ledger on PostgreSQL. The files of a failed run stay in a folder that the table names.
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
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, get_args

from tests.faults.matrix import cases
from tests.faults.matrix.case_runner import CaseRunner
from tests.faults.matrix.verdict import FoundOut
from tests.ledgers import name_server
from tests.sandboxes import running_sandbox

Line = dict[str, Any]
_HERE: Final = "tests.faults.matrix.chaos"
_FOUND_OUT: Final = get_args(FoundOut)
_POSTGRESQL_EVERY: Final = 8
_KEPT: Final = Path("var", "chaos")
_EVERY_S: Final = 10.0


def main(arguments: Sequence[str]) -> int:
    """Run the matrix. Return exit code 1 if any run had a fault."""
    if arguments[:1] == ["--worker"]:
        return _work(Path(arguments[1]), *map(int, arguments[2:]))
    runs, notes, workers, seed = (*map(int, arguments), *(1000, 100, os.cpu_count() or 1, 1)[len(arguments) :])
    began, results = time.monotonic(), []
    shown_at = began
    keep = _KEPT / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{seed}"
    stop_server = name_server()
    # After an interruption, show the results so far.
    with contextlib.suppress(KeyboardInterrupt):
        for result in _results(runs, notes, workers, seed, keep):
            results.append(result)
            if result["faults"]:
                print(f"\nFAULT in {result['case']}\n" + "\n".join(result["faults"]), flush=True)
            if time.monotonic() - shown_at > _EVERY_S:
                shown_at = time.monotonic()
                print(_so_far(results, runs, shown_at - began), flush=True)
    stop_server()
    print("\n".join(table(results, time.monotonic() - began)))
    bad = sum(bool(each["faults"]) for each in results)
    if bad:
        print(f"\n{bad} runs were not clean: what they left behind is in {keep}")
    if len(results) < runs:
        print(f"\nonly {len(results)} of {runs} runs were made")
    return int(len(results) < runs or bad > 0)


def _so_far(results: Sequence[Line], runs: int, seconds: float) -> str:
    bad, notes = sum(bool(each["faults"]) for each in results), sum(each["notes"] for each in results)
    left = seconds / len(results) * (runs - len(results))
    return f"{len(results)} of {runs} runs, {notes} notes, {bad} bad; about {left / 60:.0f} min left"


def table(results: Sequence[Line], seconds: float) -> Iterator[str]:
    """Yield the numbers of runs, kills and notes of each kind, and the results of other parties' acts."""
    kinds: defaultdict[str, list[Line]] = defaultdict(list)
    for each in results:
        kinds[f"{each['line']}: {each['kind']}"].append(each)
    yield f"{'':58} {'runs':>6} {'notes':>8} {'faults':>7}"
    for kind, group in sorted(kinds.items()):
        yield _row(kind, group)
    yield _row("all", results)
    yield _row("of these on PostgreSQL", [each for each in results if each["is_postgresql"]])
    yield f"{seconds:.0f} s, {seconds / max(1, len(results)):.2f} s a run"
    waited = Counter(each["kind"] for each in results if each["has_waited"])
    for kind, count in sorted(waited.items()):
        yield f"{kind}: {count} runs waited before a person for a list to stand still"
    outside: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in results:
        if each["found_out"]:
            outside[each["kind"]][each["found_out"]] += 1
    yield ""
    yield f"{'from outside':50} " + " ".join(f"{name:>20}" for name in _FOUND_OUT)
    for kind, counts in sorted(outside.items()):
        yield f"{kind:50} " + " ".join(f"{counts[name]:>20}" for name in _FOUND_OUT)
    yield "cannot be known: with the extensions off nothing that was posted can be read back, whoever asks"


def _row(kind: str, group: Sequence[Line]) -> str:
    notes, bad = sum(each["notes"] for each in group), sum(bool(each["faults"]) for each in group)
    return f"{kind:58} {len(group):>6} {notes:>8} {bad:>7}"


def _results(runs: int, notes: int, workers: int, seed: int, keep: Path) -> Iterator[Line]:
    """Yield the workers' results as they come."""
    each = -(-runs // workers)
    shares = [(min(each, runs - place * each), notes, seed + place) for place in range(workers) if runs > place * each]
    commands = [[sys.executable, "-m", _HERE, "--worker", str(keep), *map(str, share)] for share in shares]
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


def _work(keep: Path, runs: int, notes: int, seed: int) -> int:
    with tempfile.TemporaryDirectory() as home, running_sandbox(in_thread=True) as sandbox:
        runner = CaseRunner(Path(home), sandbox, notes, _POSTGRESQL_EVERY, keep)
        calms = {(line, plot): runner.calm(line, plot) for line, plots in cases.PLOTS.items() for plot in plots}
        outside = {line: runner.calm(line, outside=cases.NOBODY) for line in cases.LONELY}
        for case in islice(cases.sample(calms, outside, seed), runs):
            verdict = runner.run_case(case)
            line: Line = {"line": case.line, "kind": case.kind, "case": str(case), "faults": verdict.faults}
            line |= {"notes": verdict.notes, "found_out": verdict.found_out, "seconds": verdict.seconds}
            line |= {"has_waited": verdict.has_waited, "is_postgresql": verdict.is_postgresql}
            print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
