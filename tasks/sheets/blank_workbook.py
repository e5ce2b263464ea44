"""Write a workbook to fill in, with the emitters and templates that this account has now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from configs.layouts import headers_of
from connectors.http.errors import ConnectorError
from connectors.spreadsheets.writers.blank_columns import COLUMNS
from connectors.spreadsheets.writers.blank_workbook import Blank, write_blank
from domain.disk_faults import is_out_of_room
from domain.documents import Document
from domain.issuing import SERVICE
from domain.problems import FaturistaError, Problem
from domain.products.choices import SHOWN
from tasks.runtime import PRODUCTS, SERVICES, Context, Runtime, open_context, open_runtime

NAMES: Final[Mapping[str, str]] = {
    SERVICES: "modelo-servicos.xlsx",
    PRODUCTS: "modelo-produtos.xlsx",
    "takers": "modelo-clientes.xlsx",
    "templates": "modelo-modelos-de-servico.xlsx",
    "emitters": "modelo-emitentes.xlsx",
    "contracts": "modelo-contratos.xlsx",
    "indexes": "modelo-indices.xlsx",
}
_YES_NO: Final = ("Sim", "Não")
_CHOSEN: Final = ("kind", "payment", "icms", "pis", "cofins")
"""Fields of a sale whose choices are the same for everybody."""


@dataclass(frozen=True, slots=True)
class BlankWorkbook:
    """The workbook's path. `has_lists` is False if the provider did not deliver the content of its lists."""

    path: Path
    has_lists: bool


async def write_template(profile: str, kind: str, *, emitter_cnpj: str | None, output: Path | None) -> BlankWorkbook:
    """Write the blank workbook of a kind. `output` is a new file or an existing folder; None: the working directory.

    Raises `FaturistaError` for an emitter that the account does not have (`emitter.unknown`), a file that exists
    (`blank.exists`) and a folder that does not (`blank.no_folder`).
    """
    lists: Mapping[str, Sequence[str]] = {}
    has_lists = True
    asked = _ASKED.get(kind)
    if asked is not None:
        try:
            async with open_runtime(profile, station="template") as runtime:
                lists = await asked(runtime, emitter_cnpj)
        except ConnectorError:
            # The workbook is useful without its lists, too.
            has_lists = False
    with open_context(profile) as context:
        return BlankWorkbook(_write(context, kind, lists, output), has_lists)


async def _service_lists(runtime: Runtime, cnpj: str | None) -> Mapping[str, Sequence[str]]:
    there = await runtime.issuer(runtime.issuer_of(SERVICE)).emitters()
    emitters = [each for each in there if each.fault is None and cnpj in (None, each.cnpj)]
    _check_known(cnpj, emitters)
    register = runtime.register(runtime.issuer_of(SERVICE))
    templates = [each for emitter in emitters for each in await register.templates(emitter.ref)]
    return {
        "emitter_cnpj": sorted(Document("cnpj", each.cnpj).formatted for each in emitters if each.cnpj),
        "template_name": sorted({each.name for each in templates if each.name}),
        "send_to_taker": _YES_NO,
    }


async def _emitter_lists(runtime: Runtime, cnpj: str | None) -> Mapping[str, Sequence[str]]:
    emitters = [
        each for each in await runtime.issuer(runtime.issuer_of(SERVICE)).emitters() if cnpj in (None, each.cnpj)
    ]
    _check_known(cnpj, emitters)
    return {"emitter_cnpj": sorted(Document("cnpj", each.cnpj).formatted for each in emitters if each.cnpj)}


async def _contract_lists(runtime: Runtime, cnpj: str | None) -> Mapping[str, Sequence[str]]:
    services = await _service_lists(runtime, cnpj)
    return {name: services[name] for name in ("emitter_cnpj", "template_name")}


async def _product_lists(runtime: Runtime, cnpj: str | None) -> Mapping[str, Sequence[str]]:
    shops = [each for each in await runtime.issuer(runtime.issuer_of("nfe")).emitters() if cnpj in (None, each.cnpj)]
    _check_known(cnpj, shops)
    return {"emitter_cnpj": sorted(Document("cnpj", each.cnpj).formatted for each in shops)}


_ASKED: Final = {
    SERVICES: _service_lists,
    PRODUCTS: _product_lists,
    "templates": _emitter_lists,
    "contracts": _contract_lists,
}
"""By kind of workbook, the function that requests the content of its lists. Other kinds need no provider."""


def _check_known(cnpj: str | None, found: Sequence[object]) -> None:
    if cnpj is not None and not found:
        raise FaturistaError(Problem("emitter.unknown", "emitter_cnpj", params={"cnpj": cnpj}))


def _write(context: Context, kind: str, lists: Mapping[str, Sequence[str]], output: Path | None) -> Path:
    path = Path.cwd() if output is None else output
    path = path / NAMES[kind] if path.is_dir() else path
    hints = context.catalogue.words("blank_hint")
    # A column may need another hint in this kind of workbook than in the others.
    own = {each.field: hints[name] for each in COLUMNS[kind] if (name := f"{kind}_{each.field}") in hints}
    fixed: dict[str, Sequence[str]] = dict.fromkeys(("retained_iss", "national_simple_optant", "is_prorated"), _YES_NO)
    if kind == PRODUCTS:
        fixed |= {field: [each.strip() for each in SHOWN[field].split(",")] for field in _CHOSEN}
    blank = Blank(
        kind=kind,
        headers={column.field: headers_of(kind)[column.field] for column in COLUMNS[kind]},
        words=context.catalogue.words("blank"),
        hints=hints | own,
        lists={**fixed, **{field: choices for field, choices in lists.items() if choices}},
    )
    try:
        write_blank(path, blank)
    except FileExistsError as error:
        raise FaturistaError(Problem("blank.exists", params={"path": str(path)})) from error
    except OSError as error:
        if is_out_of_room(error):
            raise
        raise FaturistaError(Problem("blank.no_folder", params={"path": str(path)})) from error
    return path
