"""Compare the provider's cities and codes with those of our emitters' invoices."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Final

from configs.catalogue import Catalogue
from connectors.issuers import OpenIssuers
from domain.cities import CityRules, city_of
from domain.issuing import Issuer, RemoteEmitter

_CERTIFIED: Final = "ok"
"""Document 000, City: any other status means that the city is still in certification."""


async def check_reference(
    words: Catalogue, opened: OpenIssuers, issuer: Issuer
) -> AsyncIterator[tuple[str, bool, str]]:
    """Yield (topic, is good, details): emitters in cities that cannot issue, and our codes that the provider lacks.

    The details are in the operator's language. Skip a list that the provider does not offer.
    """
    cities, constants = opened.resource("city"), opened.resource("constant")
    emitters = await issuer.emitters()
    if cities is not None and cities.all is not None:
        found = await cities.all((), {})
        status = {record.path[0]: record.values.get("status", "") for record in found}
        bad = [each for each in emitters if status.get(each.city_code) != _CERTIFIED]
        yield "cities", not bad, _cities_detail(words, bad, emitters)
    if constants is not None and constants.all is not None:
        known: defaultdict[str, set[str]] = defaultdict(set)
        for record in await constants.all((), {}):
            known[record.path[0]].add(record.path[1])
        rules = {each.city_code: city_of(each.city_code) for each in emitters}
        missing = sorted({lack for each in rules.values() if each is not None for lack in _missing(each, known)})
        code = "doctor.constants_missing" if missing else "doctor.constants_agree"
        yield "constants", not missing, words.text(code, codes=", ".join(missing))


def _cities_detail(words: Catalogue, bad: Sequence[RemoteEmitter], emitters: Sequence[RemoteEmitter]) -> str:
    if not bad:
        return words.text("doctor.cities_agree", count=len(emitters))
    names = ", ".join(f"{each.name} ({each.city or each.city_code})" for each in bad)
    return words.text("doctor.city_not_certified", emitters=names)


def _missing(city: CityRules, known: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield numeric codes of a city's rules that the provider does not list. São Paulo has words instead of codes."""
    ours = {
        "rps_type": (city.rps_type,),
        "rps_situation": (city.rps_situation,),
        "operation_nature": city.operation_natures,
        "special_regime": (city.special_regime,),
    }
    for name, codes in ours.items():
        yield from (f"{name} {code}" for code in codes if isinstance(code, int) and str(code) not in known[name])
