"""The municipalities of Brazil with their IBGE codes (`cities.csv`, written by `build_cities`).

Look codes up, never compute them: nine official ones fail their own check digit. A name alone is not enough: two or
more states share 232 of them.
"""

import csv
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from domain.texts import folded

_OTHER_NAMES: Final[Mapping[tuple[str, str], str]] = {
    ("embu", "SP"): "Embu das Artes",
    ("parati", "RJ"): "Paraty",
    ("mojidascruzes", "SP"): "Mogi das Cruzes",
    ("mojimirim", "SP"): "Mogi Mirim",
    ("mojiguacu", "SP"): "Mogi Guaçu",
    ("itapecirica", "SP"): "Itapecerica da Serra",
    ("santabarbara", "SP"): "Santa Bárbara d'Oeste",
    ("santabarbaradooeste", "SP"): "Santa Bárbara d'Oeste",
    ("santabarbaradoeste", "SP"): "Santa Bárbara d'Oeste",
    ("aparecidadonorte", "SP"): "Aparecida",
    ("braganca", "SP"): "Bragança Paulista",
    ("sampa", "SP"): "São Paulo",
    ("sp", "SP"): "São Paulo",
    ("spaulo", "SP"): "São Paulo",
    ("sbc", "SP"): "São Bernardo do Campo",
    ("saobernardo", "SP"): "São Bernardo do Campo",
    ("saocaetano", "SP"): "São Caetano do Sul",
    ("scs", "SP"): "São Caetano do Sul",
    ("sjc", "SP"): "São José dos Campos",
    ("riopreto", "SP"): "São José do Rio Preto",
    ("sjriopreto", "SP"): "São José do Rio Preto",
    ("ferraz", "SP"): "Ferraz de Vasconcelos",
    ("taboao", "SP"): "Taboão da Serra",
    ("rio", "RJ"): "Rio de Janeiro",
    ("rj", "RJ"): "Rio de Janeiro",
    ("riodejaneirocapital", "RJ"): "Rio de Janeiro",
    ("saopaulocapital", "SP"): "São Paulo",
    ("caxias", "RJ"): "Duque de Caxias",
    ("friburgo", "RJ"): "Nova Friburgo",
    ("campos", "RJ"): "Campos dos Goytacazes",
    ("camposdosgoitacazes", "RJ"): "Campos dos Goytacazes",
    ("buzios", "RJ"): "Armação dos Búzios",
    ("meriti", "RJ"): "São João de Meriti",
    ("trajanodemorais", "RJ"): "Trajano de Moraes",
    ("bh", "MG"): "Belo Horizonte",
    ("valadares", "MG"): "Governador Valadares",
    ("delrei", "MG"): "São João del Rei",
    ("poa", "RS"): "Porto Alegre",
    ("caxias", "RS"): "Caxias do Sul",
    ("livramento", "RS"): "Sant'Ana do Livramento",
    ("santanadolivramento", "RS"): "Sant'Ana do Livramento",
    ("floripa", "SC"): "Florianópolis",
    ("camboriu", "SC"): "Camboriú",
    ("picarras", "SC"): "Balneário Piçarras",
    ("cwb", "PR"): "Curitiba",
    ("foz", "PR"): "Foz do Iguaçu",
    ("fozdoiguassu", "PR"): "Foz do Iguaçu",
    ("ssa", "BA"): "Salvador",
    ("conquista", "BA"): "Vitória da Conquista",
    ("feira", "BA"): "Feira de Santana",
    ("jaboatao", "PE"): "Jaboatão dos Guararapes",
    ("cabo", "PE"): "Cabo de Santo Agostinho",
    ("itamaraca", "PE"): "Ilha de Itamaracá",
    ("assu", "RN"): "Açu",
    ("bsb", "DF"): "Brasília",
    ("df", "DF"): "Brasília",
}
"""Official names by a municipality's popular name, without spaces, and by its state."""
_SHORT_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "s": ("sao", "santo", "santa"), "sto": ("santo",), "sta": ("santa",), "n": ("nova", "nossa"),
    "sra": ("senhora",), "gov": ("governador",), "pres": ("presidente",), "cel": ("coronel",), "dr": ("doutor",),
    "mal": ("marechal",), "gal": ("general",), "gen": ("general",), "cap": ("capitao",), "eng": ("engenheiro",),
    "pe": ("padre",), "fco": ("francisco",), "jd": ("jardim",), "pto": ("porto",), "mte": ("monte",),
    "b": ("belo", "bom"),
    "r": ("rio", "ribeirao"), "rib": ("ribeirao",), "faz": ("fazenda",), "cons": ("conselheiro",), "vl": ("vila",),
    "bal": ("balneario",), "baln": ("balneario",), "cach": ("cachoeira", "cachoeiro"), "cid": ("cidade",),
    "sen": ("senador",), "dep": ("deputado",), "min": ("ministro",), "alm": ("almirante",), "ten": ("tenente",),
    "maj": ("major",), "sr": ("senhor",), "j": ("jose", "joao"), "bern": ("bernardo",), "hor": ("horizonte",),
}  # fmt: skip
"""Words of municipalities' names by their abbreviations."""
_LINKS: Final = frozenset({"de", "da", "do", "das", "dos", "e", "d"})

CITIES: Final = Path(__file__).parent / "cities.csv"


class City(NamedTuple):
    """A municipality: seven-digit code as text, official name, state abbreviation."""

    code: str
    name: str
    uf: str


class CityTable:
    """All municipalities, found by code or by name."""

    def __init__(self, cities: Iterable[City]) -> None:
        self._by_code = {city.code: city for city in cities}
        self._by_state: defaultdict[str, list[City]] = defaultdict(list)
        for city in self._by_code.values():
            self._by_state[city.uf].append(city)
        self._by_name: dict[str | None, Mapping[str, Sequence[City]]] = {}

    def __len__(self) -> int:
        return len(self._by_code)

    def __iter__(self) -> Iterator[City]:
        """Yield every municipality by name, then by state."""
        return iter(sorted(self._by_code.values(), key=lambda city: (folded(city.name), city.uf)))

    def by_code(self, code: str) -> City | None:
        """Return the municipality with this seven-digit code, or None."""
        return self._by_code.get(code.strip())

    def by_name(self, name: str, uf: str | None = None) -> tuple[City, ...]:
        """Return every municipality of this name, within a state if one is given; ignore accents, hyphens and case.

        Popular and short names (`S. Paulo`) are found only within a state.
        """
        state = None if uf is None else uf.strip().upper()
        if state is not None and state not in self._by_state:
            return ()
        found = tuple(self._names(state).get(_bare(name), ()))
        return found if found or state is None else self._by_short_name(name, state)

    def _names(self, state: str | None) -> Mapping[str, Sequence[City]]:
        """Return the municipalities of one state, or of all, by `_bare` name. Build each index at its first use."""
        known = self._by_name.get(state)
        if known is None:
            found: defaultdict[str, list[City]] = defaultdict(list)
            for city in self._by_code.values() if state is None else self._by_state[state]:
                found[_bare(city.name)].append(city)
            known = self._by_name[state] = dict(found)
        return known

    def _by_short_name(self, name: str, state: str) -> tuple[City, ...]:
        """Return every municipality of a state with this popular name: `S. Paulo`, `Embu`, `Parati`."""
        other = _OTHER_NAMES.get((_bare(name), state))
        if other is not None:
            return tuple(self._names(state).get(_bare(other), ()))
        words = folded(name).replace(".", ". ").replace("-", " ").split()
        if not any(word.rstrip(".") in _SHORT_WORDS for word in words):
            return ()
        return tuple(city for city in self._by_state[state] if _is_short_for(words, city.name))


@functools.cache
def load_cities() -> CityTable:
    """Return the table; it is read once per process."""
    with CITIES.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        next(lines)
        return CityTable(map(City._make, lines))


def _is_short_for(words: Sequence[str], name: str) -> bool:
    """Return whether words, some of them abbreviated, spell a name; `de`, `da` and the like may be missing."""
    whole = [word for word in folded(name).replace("-", " ").replace("'", " ").split() if word not in _LINKS]
    short_words = [word for each in words if (word := each.rstrip(".")) not in _LINKS]
    return len(whole) == len(short_words) and all(
        short == word or word in _SHORT_WORDS.get(short, ()) for short, word in zip(short_words, whole, strict=True)
    )


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, folded(name)))
