"""Randomly damaged valid files of every kind: each gives a workbook or a refusal in words.

`python -m tests.connectors.spreadsheets.mutants --minutes 60 --keep FOLDER` damages files for this time and stores each
one with any other result; earlier finds are in `test_workbook_hostile.py`.
"""

import argparse
import csv
import io
import random
import resource
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.formats import binaries

BATCH = 200
SLOW_S = 2.0
MEMORY_BYTES = 1_500_000_000
HEAD = ["CNPJ/CPF", "Nome", "Modelo", "Valor", "Cidade", "Competência", "ISS (%)"]
DULL = [
    b"0", b"-1", b"65535", b"4294967295", b"99999999999999999999", b"1e308", b"NaN", b"", b"\x00", b"\xff\xff\xff\xff",
    b"A1", b"XFD1048576", b'"', b"<", b">", b"&#0;", b"&amp;", b"]]>", b"<!--", b't="s"', b"1048576", b";", b"\n",
    b"\xc3", b"\xef\xbb\xbf", b"\xe2\x80\x8b",
]  # fmt: skip


def seeds() -> dict[str, bytes]:
    """Return one valid file of each kind."""
    rows: list[list[object]] = [
        [f"99.000.00{n}/0001-48", f"Cliente {n}", "Consultoria", 100.5 + n, "São Paulo - SP", "11/2026", 0.05]
        for n in range(12)
    ]

    def dress(sheet) -> None:
        sheet.write_formula("D4", "=NA()", None, "#N/A")
        sheet.write_formula("D5", "=1+1", None, "")
        sheet.set_row(5, None, None, {"hidden": True})
        sheet.set_column("F:F", None, None, {"hidden": True})
        sheet.merge_range("B8:B9", "junto")

    shaped = {"G3": (0.02, "0.00%"), "A7": (52_000_148, "00000000000000")}
    xlsx = books.written(
        ("Notas", [["Título"], HEAD, *rows, ["TOTAL", None, None, 1272.0]]), dress=dress, shaped=shaped
    )
    table: list[list[object]] = [[*HEAD], *rows]
    text = "\n".join(";".join(str(cell) for cell in row) for row in table)
    cells = b"".join(binaries.row(n, [binaries.text(0, n % 3), binaries.real(1, n)]) for n in range(9))
    return {
        "xlsx": xlsx,
        "xls": binaries.MONTH_XLS.read_bytes(),
        "ods": binaries.MONTH_ODS.read_bytes(),
        "xlsb": binaries.xlsb([("S", binaries.sheet_bin(cells), 0)], texts=["CNPJ", "Valor", "x"]),
        "csv": (text + '\n"Ana ""x""; e\nfilhos";1;2\n').encode("cp1252"),
        "utf16": text.encode("utf-16"),
    }


def as_csv(rows: Iterable[Iterable[object]]) -> bytes:
    target = io.StringIO(newline="")
    csv.writer(target, delimiter=";").writerows(rows)
    return target.getvalue().encode("utf-8", "surrogatepass")


def spoilt(content: bytes, chance: random.Random) -> bytes:
    """Return the file with a few of its bytes changed; in a package, those of one part, which is then packed again."""
    if content.startswith(b"PK") and chance.random() < 0.9:
        return _with_spoilt_part(content, chance)
    return _scratched(content, chance)


def _with_spoilt_part(content: bytes, chance: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        parts = [(name, package.read(name)) for name in package.namelist()]
    weights = [5 if any(word in name for word in ("sheet", "content", "workbook", "hared")) else 1 for name, _ in parts]
    (chosen,) = chance.choices(range(len(parts)), weights)
    name, data = parts[chosen]
    match chance.randrange(12):
        case 0:
            del parts[chosen]
        case 1:
            parts.append((name.upper() if chance.random() < 0.5 else f"xl/../{name}", data))
        case _:
            parts[chosen] = name, _scratched(data, chance)
    return books.zipped(parts)


def _scratched(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8, 30))):
        at, length = chance.randrange(len(changed) + 1), chance.choice((1, 1, 2, 4, 8, 60, 700))
        match chance.randrange(7):
            case 0:
                changed[at : at + length] = chance.randbytes(length)
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = bytes(changed[at : at + length]) * chance.choice((1, 2, 50))
            case 3:
                changed[at : at + chance.choice((0, 1, 4))] = chance.choice(DULL)
            case 4:
                source = chance.randrange(len(changed) + 1)
                changed[at : at + length] = changed[source : source + length]
            case 5:
                for place in _numbers(changed, at):
                    changed[place] = chance.choice(b"0123456789")
            case _:
                if at < len(changed):
                    changed[at] ^= 1 << chance.randrange(8)
        if not changed:
            return b""
    return bytes(changed)


def _numbers(data: bytearray, at: int) -> Iterator[int]:
    return (place for place in range(at, min(at + 40, len(data))) if 48 <= data[place] <= 57)


def mutant(seed: int, files: dict[str, bytes]) -> tuple[str, bytes]:
    """Return the name and the content of this seed's file."""
    chance = random.Random(seed)
    kind = chance.choice(sorted(files))
    return kind, spoilt(files[kind], chance)


def verdict(content: bytes, read: Callable[[bytes], object]) -> str:
    """Return `opened`, the refusal's code, or any other result, of the guarded process too."""
    try:
        read(content)
    except InputError as error:
        code = error.problem.code
        return f"!! {getattr(error, '__notes__', '')}"[-400:] if code == "file.too_hard" else code
    except Exception as error:
        return f"!! {type(error).__name__}: {error}"[:200]
    return "opened"


def read_whole(content: bytes) -> None:
    """Read every row of every sheet, then read it as services if it has a header."""
    book = open_workbook(content)
    for sheet in book.sheets:
        for _ in sheet.rows():
            pass
    for row in books.read_bytes(content).rows():
        assert (row.line is None) == bool(row.problems)


def run(first: int, count: int, keep: Path) -> None:
    """Try these seeds one after the other; the last line on stdout names the current one."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    files = seeds()
    for seed in range(first, first + count):
        kind, content = mutant(seed, files)
        print(seed, kind, flush=True)
        start = time.perf_counter()
        found = verdict(content, read_whole)
        spent = time.perf_counter() - start
        if found.startswith("!!") or spent > SLOW_S:
            (keep / f"{seed}.{kind}").write_bytes(content)
            with (keep / "found.txt").open("a", encoding="utf-8") as notes:
                notes.write(f"{seed} {kind} {spent:.1f} s {found}\n")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--minutes", type=float, default=1)
    asked.add_argument("--keep", type=Path, default=Path("mutants"))
    asked.add_argument("--first", type=int, default=0)
    asked.add_argument("--count", type=int)
    options = asked.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    if options.count is not None:
        run(options.first, options.count, options.keep)
        return
    end, first = time.monotonic() + 60 * options.minutes, options.first
    while time.monotonic() < end:
        command = [sys.executable, "-m", __spec__.name, "--keep", str(options.keep), "--first", str(first)]
        done = subprocess.run(
            [*command, "--count", str(BATCH)], capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode:
            last = (done.stdout.splitlines() or ["nothing"])[-1]
            with (options.keep / "found.txt").open("a", encoding="utf-8") as notes:
                notes.write(f"{last}: ended with {done.returncode}: {done.stderr[-300:]}\n")
        first += BATCH
    print(f"{first - options.first} files were spoilt; see {options.keep / 'found.txt'} if there is one")


if __name__ == "__main__":
    main()
