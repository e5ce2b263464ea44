"""The customers of the sample month: invented people and companies, with valid documents that belong to nobody.

Every document starts with 99 or 00 and is computed from a running number: equal numbers give equal people.
"""

from dataclasses import dataclass
from typing import Final

_FIRST: Final = ("Ana", "Bruno", "Carla", "Diego", "Elisa", "Fábio", "Gabriela", "Heitor", "Inês", "João", "Karina",
                 "Luís", "Marina", "Nelson", "Olívia", "Paulo", "Renata", "Sérgio", "Tânia", "Vítor")  # fmt: skip
_LAST: Final = ("Aguiar", "Barreto", "Conceição", "Drummond", "Esteves", "Figueiredo", "Gonçalves", "Holanda",
                "Iglesias", "Junqueira", "Lacerda", "Magalhães", "Nóbrega")  # fmt: skip
_TRADE: Final = ("Padaria", "Clínica", "Escola", "Transportes", "Livraria", "Farmácia", "Construtora", "Laboratório",
                 "Pousada", "Gráfica", "Óptica", "Academia", "Contabilidade", "Editora")  # fmt: skip
_OWN: Final = ("Sol Nascente", "Três Irmãos", "Boa Vista", "Serra Azul", "Ponto Certo", "Mar Aberto", "Flor do Campo",
               "Vale Verde", "São Bento", "Nova Aliança", "Pão & Arte")  # fmt: skip
_FORM: Final = ("Ltda", "S.A.", "EIRELI", "ME")
_PLACES: Final = (
    ("Rio de Janeiro", "RJ", "21", "20031-170", "Rua das Laranjeiras", "Laranjeiras"),
    ("São Paulo", "SP", "11", "01310-100", "Avenida Paulista", "Bela Vista"),
    ("Niterói", "RJ", "21", "24020-071", "Rua da Conceição", "Centro"),
    ("Campinas", "SP", "19", "13010-041", "Rua Barão de Jaguara", "Centro"),
    ("Belo Horizonte", "MG", "31", "30130-010", "Rua da Bahia", "Lourdes"),
    ("Curitiba", "PR", "41", "80010-010", "Rua XV de Novembro", "Centro"),
    ("Santos", "SP", "13", "11010-001", "Rua do Comércio", "Centro"),
    ("Porto Alegre", "RS", "51", "90010-150", "Rua dos Andradas", "Centro Histórico"),
    ("Salvador", "BA", "71", "40020-000", "Rua Chile", "Centro"),
    ("Recife", "PE", "81", "50030-230", "Rua do Bom Jesus", "Recife"),
)
_CPF_WEIGHTS: Final = (10, 9, 8, 7, 6, 5, 4, 3, 2)
_CNPJ_WEIGHTS: Final = (5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One invented customer. `document` is canonical; `is_company` tells CNPJ from CPF."""

    document: str
    is_company: bool
    name: str
    email: str
    phone: str
    street: str
    number: str
    neighborhood: str
    city: str
    uf: str
    zip_code: str

    @property
    def formatted(self) -> str:
        """Return the document as people write it."""
        d = self.document
        if self.is_company:
            return f"{d[:2]}.{d[2:5]}.{d[5:8]}/{d[8:12]}-{d[12:]}"
        return f"{d[:3]}.{d[3:6]}.{d[6:9]}-{d[9:]}"


def person(index: int) -> Person:
    """Return a private customer with a CPF."""
    first, last = _FIRST[index % len(_FIRST)], _LAST[index % len(_LAST)]
    digits = 993_000_000 + index * 104_729 % 1_000_000
    return _somebody(index, name=f"{first} {last}", document=_cpf(str(digits)), is_company=False)


def company(index: int, *, is_lettered: bool) -> Person:
    """Return a company: its CNPJ has digits only (a twentieth start with zeros, like old ones) or letters."""
    name = f"{_TRADE[index % len(_TRADE)]} {_OWN[index % len(_OWN)]} {_FORM[index % len(_FORM)]}"
    start = "00" if index % 20 == 3 else "99"
    root = f"99{_letters(index)}{index:03d}" if is_lettered else f"{start}{400_000 + index * 7_919 % 100_000}"
    return _somebody(index + 7, name=name, document=_cnpj(f"{root}0001"), is_company=True)


def _somebody(index: int, *, name: str, document: str, is_company: bool) -> Person:
    city, uf, area, zip_code, street, neighborhood = _PLACES[index * 3 % len(_PLACES)]
    box = "financeiro" if is_company else "contato"
    return Person(
        document=document,
        is_company=is_company,
        name=name,
        email=f"{box}.{index:03d}@cliente.example",
        phone=f"({area}) 9{7000 + index * 37 % 2000:04d}-{1000 + index * 61 % 9000:04d}",
        street=street,
        number=str(12 + index * 17 % 1900),
        neighborhood=neighborhood,
        city=city,
        uf=uf,
        zip_code=zip_code,
    )


def _letters(index: int) -> str:
    return "".join(chr(65 + index * step % 26) for step in (7, 11, 5))


def _cpf(nine: str) -> str:
    first = _check_digit(nine, _CPF_WEIGHTS)
    return nine + first + _check_digit(nine + first, (11, *_CPF_WEIGHTS))


def _cnpj(twelve: str) -> str:
    first = _check_digit(twelve, _CNPJ_WEIGHTS)
    return twelve + first + _check_digit(twelve + first, (6, *_CNPJ_WEIGHTS))


def _check_digit(text: str, weights: tuple[int, ...]) -> str:
    # a letter's value is its code less 48; a digit's value is the digit
    rest = sum((ord(sign) - 48) * weight for sign, weight in zip(text, weights, strict=True)) % 11
    return "0" if rest < 2 else str(11 - rest)
