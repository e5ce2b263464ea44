"""Files of many programs: CSV in every encoding, HTML and text under the name of an XLS, exports of ERPs."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Habit, ask, bill, cpf, doc, good, text_of
from tests.corpus.sheets import html, table

_TEXT = text_of([HEAD, good(1), [doc(2), "Açaí & Cia Ltda", "Consultoria", 100.02]])


def habits() -> Iterator[Habit]:
    two = {2: bill(10_001), 3: bill(10_002, name="Açaí & Cia Ltda")}
    for name, content in (
        ("utf8", _TEXT.encode()), ("bom", _TEXT.encode("utf-8-sig")), ("cp1252", _TEXT.encode("cp1252")),
        ("utf16", _TEXT.encode("utf-16")), ("unix", _TEXT.replace("\r\n", "\n").encode()),
        ("told", f"sep=;\r\n{_TEXT}".encode()),
    ):  # fmt: skip
        yield Habit(f"csv_{name}", content, "a.csv", two)
    yield Habit("csv_tabs", _TEXT.replace(";", "\t").encode(), "a.txt", two)
    yield Habit("csv_pipes", _TEXT.replace(";", "|").encode(), "a.csv", two)
    yield Habit("xls_of_tabs", _TEXT.replace(";", "\t").encode("cp1252"), "a.xls", two)
    yield Habit("xls_of_utf16_tabs", _TEXT.replace(";", "\t").encode("utf-16"), "a.xls", two)
    quoted = "\r\n".join(",".join(f'"{cell}"' for cell in line.split(";")) for line in _TEXT.splitlines())
    yield Habit("csv_quoted_commas", quoted.encode(), "a.csv", two)
    loose = f"CNPJ,Nome,Modelo,Valor\r\n{doc(1)},Ana,Consultoria,1500,00\r\n{doc(2)},Bia,Consultoria,1500\r\n"
    yield Habit("csv_unquoted_comma", loose.encode(), "a.csv", {2: ask("row.wider_comma"), 3: bill(150_000)})
    wide = text_of([HEAD, good(1), good(2, "a", "b")])
    yield Habit("csv_wider_row", wide.encode(), "a.csv", {2: bill(10_001), 3: ask("row.wider")})
    formulas = _TEXT.replace(doc(1), f'="{doc(1)}"')
    yield Habit("csv_text_formula", formulas.encode(), "a.csv", two)
    rows = [HEAD, ["0" + doc(1)[1:], *good(1)[1:3], "100,01"], [doc(2), "Açaí &amp; Cia Ltda", "Consultoria", "100,02"]]
    rows[1] = [doc(1), *good(1)[1:3], "100,01"]
    yield Habit("html_as_xls", html(rows), "a.xls", two)
    yield Habit("html_with_title", html([["Relatório"], *rows]), "a.xls", {3: bill(10_001), 4: bill(10_002)})
    yield Habit("html_named_html", html(rows), "a.html", two)
    yield Habit("html_two_tables", html(rows, before="<table><tr><td>menu</td></tr></table>"), "a.xls", two)
    yield Habit("wrong_name", table(good(1)), "a.csv", {}, stops="file.wrong_type")
    yield from _exports()
    pasted = f"Cliente: Ana Ltda\r\nCNPJ: {doc(1)}\r\nValor: R$ 100,00\r\n"
    yield Habit("pasted_from_a_chat", pasted.encode(), "a.txt", {}, stops="sheet.no_header")
    nested = _TEXT.replace("Consultoria", '"Consul;toria"', 1)
    yield Habit("csv_separator_in_quotes", nested.encode(), "a.csv", two)
    broken = _TEXT.replace("Tomador 1", '"Tomador 1', 1)
    yield Habit("csv_open_quote", broken.encode(), "a.csv", {}, stops="sheet.no_header")


def _exports() -> Iterator[Habit]:
    who = "Tomador 1 Ltda"
    exports = {
        "omie": (
            ("Cliente (Razão Social)", "CNPJ/CPF", "Número do Contrato", "Descrição do Serviço", "Valor Total",
            "Previsão de Faturamento"),
            (who, doc(1), "0001", "Suporte", 100.01, "20/11/2026"),
        ),
        "conta_azul": (
            ("Nome do cliente", "CNPJ/CPF do cliente", "Descrição", "Valor (R$)", "Data de competência", "Categoria 1"),
            (who, doc(1), "Suporte", 100.01, "20/11/2026", "Receita"),
        ),
        "bling": (
            ("ID", "Nome", "Fantasia", "CNPJ / CPF", "Histórico", "Valor", "Vencimento", "Data Emissão"),
            (77.0, who, "Tomador", doc(1), "Suporte", 100.01, "10/12/2026", None),
        ),
        "totvs": (
            ("A1_COD", "A1_NOME", "A1_CGC", "A1_EMAIL", "C6_DESCRI", "C6_VALOR"),
            ("000001", who, doc(1), "a@x.example", "Suporte", 100.01),
        ),
        "portal": (
            ("TomadorCpfCnpj", "TomadorRazaoSocial", "ItemListaServico", "Discriminacao", "ValorServicos",
            "AliquotaIss"),
            (doc(1), who, "1.05", "Suporte", 100.01, "5%"),
        ),
        "sao_paulo": (
            ("CPF ou CNPJ do Tomador", "Nome/Razão Social do Tomador", "Endereço do Tomador", "Cidade do Tomador",
            "UF do Tomador",
             "Discriminação dos Serviços", "Valor dos Serviços", "ISS Retido"),
            (doc(1), who, "Rua A", "São Paulo", "SP", "Suporte", 100.01, "N"),
        ),
        "school": (
            ("Responsável Financeiro", "CPF do Responsável", "Aluno", "Turma", "Mensalidade"),
            ("Maria da Silva", cpf(1), "João da Silva", "3A", 100.01),
        ),
        "english": (
            ("Customer", "Tax ID", "Email", "Description", "Amount"),
            (who, doc(1), "a@x.example", "Suporte", 100.01),
        ),
    }  # fmt: skip
    for name, (head, row) in exports.items():
        yield Habit(f"export_{name}", table(row, head=head), "a.xlsx", {2: bill(10_001)})
