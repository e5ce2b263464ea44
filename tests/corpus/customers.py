"""Customers: documents that lost digits, cities by their short names, ways to say that there is none."""

from collections.abc import Iterator

from stdnum.br import cnpj, cpf

from tests.corpus.habits import HEAD, Ask, Bill, Habit, ask, bill, doc, good
from tests.corpus.sheets import table, xlsx
from tests.tasks.rows import company, person

CNPJ, CPF = company(1).number, person(1).number
_EMAILS = {
    "-": (), "não tem": (), "sem email": (), "S/ E-MAIL": (), "n/a": (), "nao possui": (), "*": (), "não informado": (),
    "a@x.example/b@y.example": ("a@x.example", "b@y.example"), "a@x.example ; b@y.example": ("a@x.example",
    "b@y.example"),
    "a@x.example, b@y.example": ("a@x.example", "b@y.example"), "Ana <ana@x.example>": ("ana@x.example",),
    "a@x.example e b@y.example": ("a@x.example", "b@y.example"), "ANA@X.EXAMPLE": ("ANA@X.EXAMPLE",),
    "a@x.example\nb@y.example": ("a@x.example", "b@y.example"), "mailto:a@x.example": ("a@x.example",),
    "a@x.example;": ("a@x.example",), "e-mail: a@x.example": ("a@x.example",),
}  # fmt: skip
_CITIES = {
    ("S. Paulo", "SP"): "São Paulo", ("Embu", "SP"): "Embu das Artes", ("Parati", "RJ"): "Paraty", ("sao paulo",
    "sp"): "São Paulo",
    ("Sto. André", "SP"): "Santo André", ("Rio", "RJ"): "Rio de Janeiro", ("BH", "MG"): "Belo Horizonte",
    ("S. Bernardo do Campo", "SP"): "São Bernardo do Campo", ("São Paulo - SP", None): "São Paulo",
    ("Rio de Janeiro/RJ", None): "Rio de Janeiro", ("SAO PAULO", "São Paulo"): "São Paulo", ("Mogi-Mirim",
    "SP"): "Mogi Mirim",
    ("Santa Barbara do Oeste", "SP"): "Santa Bárbara d'Oeste",
}  # fmt: skip


def habits() -> Iterator[Habit]:
    yield from _documents()
    for number, (text, found) in enumerate(_EMAILS.items()):
        content = table(good(1, text), head=[*HEAD, "E-mail"])
        remarks = () if found else ("row.says_nothing",)
        yield Habit(f"email_{number}", content, "a.xlsx", {2: bill(10_001, *remarks, emails=found)})
    for number, ((city, state), place) in enumerate(_CITIES.items()):
        content = table(good(1, city, state), head=[*HEAD, "Cidade", "UF"])
        yield Habit(f"city_{number}", content, "a.xlsx", {2: bill(10_001, city=place)})
    for number, (city, state, code) in enumerate(
        (("Embu", None, "city.unknown"), ("Atlântida", "SP", "city.unknown"), ("Bom Jesus", None, "city.ambiguous"))
    ):
        content = table(good(1, city, state), head=[*HEAD, "Cidade", "UF"])
        yield Habit(f"city_asked_{number}", content, "a.xlsx", {2: ask(code)})
    for number, customer in enumerate(("000123", 123.0, "12-3")):
        content = xlsx(["Cliente", "Nome Cliente", "CNPJ", "Valor"], [customer, "Ana Ltda", doc(1), 100.01])
        yield Habit(f"codes_of_customers_{number}", content, "a.xlsx", {2: bill(10_001, name="Ana Ltda")})
    content = xlsx(["Cliente", "Nome Fantasia", "CNPJ", "Valor"], ["Ana Ltda", "Padaria", doc(1), 100.01])
    yield Habit("names_beside_names", content, "a.xlsx", {2: bill(10_001, name="Ana Ltda")})
    content = table([doc(1), "#N/D", "Consultoria", 100.01], [doc(2), "#REF!", "Consultoria", 100.02])
    yield Habit("errors_as_names", content, "a.xlsx", {2: ask("row.error_cell"), 3: ask("row.error_cell")})
    content = table(good(1, "-", "-", "S/N"), head=[*HEAD, "Telefone", "CEP", "Número"])
    yield Habit("dashes", content, "a.xlsx", {2: bill(10_001, phone=None, zip_code=None, number="S/N")})
    content = table(good(1, '="01310100"', 1310100.0), head=[*HEAD, "CEP", "IM"])
    yield Habit("zip_as_formula", content, "a.xlsx", {2: bill(10_001, zip_code="01310100")})
    content = xlsx(HEAD, [doc(1), "\u200bAna\u00a0Ltda ", " Consultoria", 10.0])
    yield Habit(
        "invisible_characters", content, "a.xlsx", {2: bill(1_000, name="Ana Ltda", template_name="Consultoria")}
    )


def _documents() -> Iterator[Habit]:
    for number, text in enumerate(
        (
            CNPJ,
            f"'{CNPJ}",
            f"CNPJ: {doc(1)}",
            f"C{CNPJ}",
            f" {doc(1)} ",
            doc(1).replace(".", " "),
            f"{doc(1)}\u200b",
            f'="{CNPJ}"',
        )
    ):
        content = table([text, *good(1)[1:]])
        yield Habit(f"document_{number}", content, "a.xlsx", {2: bill(10_001, document=CNPJ)})
    for number, (odd, code) in enumerate(
        ((doc(1)[:-1] + ("1" if doc(1)[-1] != "1" else "2"), "document.invalid"), ("99E+13", "document.scientific"),
         ("a informar", "document.length"), (None, "document.missing"), ("00000000000000", "document.invalid"),
         ("123", "document.length"), (f"{doc(1)} / {doc(2)}", "document.two"))
    ):  # fmt: skip
        content = table([odd, *good(1)[1:]])
        codes = (code, "document.invalid", "document.length", "document.scientific")
        yield Habit(f"document_bad_{number}", content, "a.xlsx", {2: ask(*codes)})
    short, full = _lost(5, "cnpj")
    remarks = bill(10_001, "document.repaired", document=full)
    content = table([float(short), "Padaria do Sol Ltda", "Consultoria", 100.01])
    yield Habit("company_that_lost_zeros", content, "a.xlsx", {2: remarks})
    short, full = _lost(7, "cnpj")
    content = table([float(short), "Padaria do Sol Ltda", "Consultoria", 100.01])
    yield Habit(
        "company_that_lost_many_zeros", content, "a.xlsx", {2: bill(10_001, "document.repaired", document=full)}
    )
    short, full = _lost(4, "cpf")
    content = table([float(short), "Maria da Silva", "Consultoria", 100.01])
    yield Habit("person_that_lost_many_zeros", content, "a.xlsx", {2: bill(10_001, "document.repaired", document=full)})
    both = 40_773_000_100.0
    content = table([both, "Maria da Silva", "Consultoria", 100.01])
    yield Habit("person_by_name", content, "a.xlsx", {2: bill(10_001, "document.kind_chosen", document="40773000100")})
    content = table([both, "Mercado Central Ltda", "Consultoria", 100.01])
    yield Habit(
        "company_by_name", content, "a.xlsx", {2: bill(10_001, "document.kind_chosen", document="00040773000100")}
    )
    yield from _by_register()
    shaped = {"A2": (float(CNPJ), "00000000000000")}
    yield Habit("document_by_format", table(good(1), shaped=shaped), "a.xlsx", {2: bill(10_001, document=CNPJ)})


def _by_register() -> Iterator[Habit]:
    """Yield numbers whose kind the name does not tell: only the register knows whose they are."""
    number, name = 40_773_000_100.0, "Zyx Norte"
    as_cpf, as_cnpj = "40773000100", "00040773000100"
    short, full = _lost(7, "cnpj")
    unclear = ask("document.ambiguous")
    seen: tuple[tuple[str, float, object, dict[str, str], Bill | Ask], ...] = (
        ("a_person", number, name, {as_cpf: name}, bill(10_001, document=as_cpf)),
        ("a_company", number, name, {as_cnpj: "ZYX NORTE"}, bill(10_001, document=as_cnpj)),
        ("a_shorter_name", number, "Zyx", {as_cnpj: "Zyx Norte"}, bill(10_001, document=as_cnpj)),
        ("another_customer", number, name, {company(1).number: name}, unclear),
        ("both", number, name, {as_cpf: name, as_cnpj: name}, unclear),
        ("both_and_one_by_another_name", number, name, {as_cpf: name, as_cnpj: "Padaria do Sol"}, unclear),
        ("another_name", number, name, {as_cnpj: "Padaria do Sol"}, unclear),
        ("no_name_there", number, name, {as_cnpj: ""}, unclear),
        ("no_name_here", number, None, {as_cnpj: name}, unclear),
        ("nobody", number, name, {}, unclear),
        ("few_digits", float(short), "Zyx Norte", {full: "Zyx Norte"}, bill(10_001, document=full)),
        ("few_digits_of_nobody", float(short), "Zyx Norte", {}, ask("document.length")),
    )
    for what, digits, named, register, expected in seen:
        content = table([digits, named, "Consultoria", 100.01])
        yield Habit(f"register_has_{what}", content, "a.xlsx", {2: expected}, register=register)


def _lost(zeros: int, kind: str) -> tuple[str, str]:
    """Return an invented document with this many leading zeros, without and with them."""
    for number in range(1, 1_000_000):
        if kind == "cnpj":
            root = f"{number:0{14 - 6 - zeros}d}".zfill(8) + "0001"
            whole = root + cnpj.calc_check_digits(root)
        else:
            root = f"{number:09d}"
            whole = root + cpf._calc_check_digits(root)
        if whole.startswith("0" * zeros) and not whole.startswith("0" * (zeros + 1)):
            return whole.lstrip("0"), whole
    raise LookupError(zeros)
