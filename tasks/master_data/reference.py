"""Compare codes in a sheet of master data with the provider's lists and the national one, before anything is written.

A wrong code is refused. A city that the provider does not list may still be right: the provider lists only cities that
issue invoices, and a service may be performed in another one. A remark then asks the person who applies the sheet.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from configs.reference.items import load_items
from domain.cities import CityRules
from domain.master_fields import Value
from domain.problems import Problem
from domain.resources import Record
from tasks.master_data.plans import MasterPlan, refuse_plan
from tasks.runtime import Runtime

_CONSTANTS: Final = frozenset({"code_tax_regime"})
"""Fields whose values are constants of the provider, which calls them the same (document 000, Constants)."""
_NATIONAL_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class ListedCodes:
    """The provider's lists: city codes, and codes by constant. None: not needed, or the provider has no such list."""

    cities: Collection[str] | None = None
    constants: Mapping[str, Collection[str]] | None = None


async def fetch_listed_codes(runtime: Runtime, sheet: Iterable[Mapping[str, Value]]) -> ListedCodes:
    """Ask the provider for the lists that these rows need, and for no other list."""
    fields = {name for values in sheet for name in values}
    cities = await _records(runtime, "city") if "city_code" in fields else None
    constants = await _records(runtime, "constant") if fields & _CONSTANTS else None
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for record in constants or ():
        by_name[record.path[0]].add(record.path[1])
    return ListedCodes(
        cities=None if cities is None else {record.path[0] for record in cities},
        constants=None if constants is None else by_name,
    )


def check_codes(plan: MasterPlan, listed: ListedCodes, city: CityRules | None = None) -> MasterPlan:
    """Refuse a plan whose codes cannot be right; add a remark about a city that the provider does not list.

    `city` has the rules of the emitter's city, which set the form of the plan's service code.
    """
    if plan.status not in ("new", "changed"):
        return plan
    wanted = plan.values if plan.status == "new" else {each.field: plan.values[each.field] for each in plan.changes}
    if wrong := [*_unknown_constants(wanted, listed), *_unknown_item(wanted, city)]:
        return refuse_plan(plan, *wrong)
    return replace(plan, problems=(*plan.problems, *_unlisted_city(wanted, listed)))


def _unknown_constants(values: Mapping[str, Value], listed: ListedCodes) -> Iterator[Problem]:
    for name in sorted(_CONSTANTS & values.keys()):
        known = (listed.constants or {}).get(name)
        if known and str(values[name]) not in known:
            allowed = ", ".join(sorted(known))
            yield Problem("import.constant_unknown", name, params={"code": str(values[name])[:20], "allowed": allowed})


def _unknown_item(values: Mapping[str, Value], city: CityRules | None) -> Iterator[Problem]:
    """Yield a problem for an item that the national list lacks. A city with codes of its own has no list to compare."""
    code = str(values.get("service_item_code", ""))
    if not code or city is None or city.item_code_digits != _NATIONAL_DIGITS:
        return
    item = f"{code[:2]}.{code[2:]}"
    if load_items().by_code(item) is None:
        yield Problem("service.item_unknown", "service_item_code", params={"code": item, "readings": ""})


def _unlisted_city(values: Mapping[str, Value], listed: ListedCodes) -> Iterator[Problem]:
    code = str(values.get("city_code", ""))
    if code and listed.cities and code not in listed.cities:
        yield Problem("import.city_unlisted", "city_code", params={"code": code})


async def _records(runtime: Runtime, kind: str) -> Iterable[Record] | None:
    resource = runtime.issuers.resource(kind)
    return None if resource is None or resource.all is None else await resource.all((), {})
