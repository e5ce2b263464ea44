"""Names of people and companies: whether two may belong to one customer, and the kind of a name."""

import re
from difflib import SequenceMatcher
from typing import Final

from domain.documents import CPF_LENGTH, DocumentKind
from domain.texts import folded, visible

_WORD: Final = re.compile(r"[a-z0-9]+")
_LEGAL_WORDS: Final = (
    "ltda ltd me epp eireli mei sa s a ss cia companhia limitada sociedade simples unipessoal individual "
    "empresa microempresa do da de dos das e o os as em com para the inc llc corp grupo filial matriz sr "
    "sra dr dra"
)
_LEGAL: Final = frozenset(_LEGAL_WORDS.split())
"""Legal forms and other words that do not identify a company."""
_FORMS: Final = frozenset(
    {"ltda", "ltd", "me", "epp", "eireli", "mei", "sa", "s", "a", "ss", "cia", "limitada", "inc", "llc", "corp"}
)
"""Legal forms only."""
_COMPANY_WORDS: Final = (
    "ltda ltd me epp eireli mei sa ss cia companhia limitada comercio comercial industria industrial "
    "servicos servico associacao condominio igreja instituto fundacao escola colegio clinica padaria "
    "farmacia drogaria mercado supermercado restaurante lanchonete hotel pousada posto banco prefeitura "
    "municipio secretaria sindicato cooperativa consultoria engenharia construtora construcoes "
    "transportes transportadora logistica tecnologia solucoes sistemas informatica software grupo "
    "hospital laboratorio editora imobiliaria advogados advocacia contabilidade holding participacoes "
    "empreendimentos incorporadora oficina pecas autopecas materiais distribuidora importadora "
    "exportadora agencia publicidade propaganda marketing producoes eventos turismo viagens academia "
    "studio estudio salao auto moveis confeccoes textil metalurgica siderurgica usina fazenda "
    "agropecuaria agro alimentos bebidas embalagens plasticos quimica energia eletrica telecomunicacoes "
    "telecom net digital clube federacao confederacao faculdade universidade creche centro central rede "
    "loja lojas magazine atacado varejo representacoes assessoria corretora seguros seguradora financeira "
    "credito investimentos gestao administradora odontologia medicina diagnosticos edificio residencial "
    "ministerio tribunal camara autarquia departamento estado governo partido ong"
)
_COMPANY: Final = frozenset(_COMPANY_WORDS.split())
_BRANCH_WORDS: Final = (
    "participacoes holding consultoria engenharia construtora transportes transportadora logistica tecnologia "
    "incorporadora empreendimentos investimentos seguros corretora seguradora energia agropecuaria turismo "
    "imobiliaria contabilidade hotel restaurante padaria farmacia escola clinica"
)
_BRANCHES: Final = frozenset(_BRANCH_WORDS.split())
"""Trades by which the companies of one owner differ: `Marés Participações`, `Marés Consultoria`."""
_FIRST_NAMES_WORDS: Final = (
    "ana maria joao jose antonio francisco carlos paulo pedro lucas luiz luis marcos gabriel rafael "
    "daniel marcelo bruno eduardo felipe raimundo rodrigo manoel mateus andre fernando fabio leonardo "
    "gustavo guilherme leandro tiago thiago anderson ricardo marcio jorge sebastiao alexandre roberto "
    "edson diego vitor sergio claudio matheus joaquim julio renato vinicius caio douglas henrique otavio "
    "mario mauro nelson wagner walter wilson william flavio geraldo gilberto helio hugo ivan jair jaime "
    "juliano luciano marina mariana juliana fernanda adriana patricia aline sandra camila amanda bruna "
    "jessica leticia julia luciana vanessa vera gabriela rita beatriz carla claudia debora denise elaine "
    "eliane fabiana helena isabel isabela joana larissa laura lucia luiza marcia marta monica natalia "
    "paula priscila raquel regina renata rosa rosana sabrina silvia simone solange sonia tania tatiana "
    "teresa terezinha viviane alice antonia francisca aparecida cristina daniela cecilia clara elisa eva "
    "irene ines lidia livia luana miriam nadia olga rafaela sara silvana sofia valeria yara arthur artur "
    "bernardo davi enzo heitor miguel samuel theo benedito cesar cicero cristiano danilo domingos emerson "
    "everton gilson igor ismael jefferson jonas josue levi lourenco marco murilo nilson osvaldo reginaldo "
    "reinaldo robson rogerio romulo ronaldo rubens severino silvio valdir vicente"
)
_FIRST_NAMES: Final = frozenset(_FIRST_NAMES_WORDS.split())
_PARTICLES: Final = frozenset({"da", "das", "de", "do", "dos", "e"})
_LIKE: Final = 0.82
_SHORTEST_PART: Final = 3
_SHORTEST_WHOLE: Final = 6
_HALF: Final = 0.5
_MOST_WORDS: Final = 7
_SHOWN: Final = 3
_LONGEST_SHOWN: Final = 60
_LONGEST_NUMBER: Final = 4


def likely_kind(name: str) -> DocumentKind | None:
    """Return `cnpj` for a company's name, `cpf` for a person's, None if the name shows neither."""
    words = _WORD.findall(folded(name))
    if "s/a" in folded(name) or "&" in name or _COMPANY.intersection(words):
        return "cnpj"
    is_person = 1 < len(words) <= _MOST_WORDS and words[0] in _FIRST_NAMES and all(map(str.isalpha, words))
    return "cpf" if is_person else None


def without_form(name: str) -> str:
    """Return a name as normalized text, without the legal form at its end: `beta transportes`."""
    words = _WORD.findall(folded(name))
    while len(words) > 1 and words[-1] in _FORMS:
        words.pop()
    return " ".join(words)


def are_alike(one: str, other: str) -> bool:
    """Return whether two names may belong to one customer: one is shortened, misspelt, or the initials of the other."""
    mine, theirs = _identifying_words(one), _identifying_words(other)
    if not mine or not theirs:
        return folded(one) == folded(other) or not (one.strip() and other.strip())
    if _numbers(mine) and _numbers(theirs) and _numbers(mine) != _numbers(theirs):
        return False
    if mine == theirs and _are_other_branches(one, other):
        return False
    short, long = sorted((_join_words(mine), _join_words(theirs)), key=len)
    if short == long or (len(short) >= _SHORTEST_WHOLE and short in long):
        return True
    if _is_acronym(mine, other) or _is_acronym(theirs, one):
        return True
    few, many = sorted((mine, theirs), key=len)
    found = sum(any(_is_same(word, each) for each in many) for word in few)
    if SequenceMatcher(None, _join_words(mine), _join_words(theirs)).ratio() >= _LIKE:
        return True
    is_person = likely_kind(one) == likely_kind(other) == "cpf"
    share = found / len(few)
    return share > _HALF or (share == _HALF and not is_person)


def _are_other_branches(one: str, other: str) -> bool:
    """Return whether both names contain trades, and share none of them."""
    trades = [_BRANCHES.intersection(_WORD.findall(folded(name))) for name in (one, other)]
    return all(trades) and trades[0].isdisjoint(trades[1])


def shown_name(name: str, kind: DocumentKind | None) -> str:
    """Return a registered name for a message: a company's in full, anybody else's as `masked_name` does.

    A company's name is public. That of a person who trades alone may end in the person's CPF, which is left out.
    """
    text = visible(name)[:_LONGEST_SHOWN]
    if kind != "cnpj":
        return masked_name(text)
    return " ".join(word for word in text.split() if sum(map(str.isdigit, word)) != CPF_LENGTH)


def masked_name(name: str) -> str:
    """Return enough of a name to recognise it, and not the whole of it: `Mar… da Sil…`."""
    return " ".join(map(_masked_word, name.split()[:_MOST_WORDS]))


def _masked_word(word: str) -> str:
    return word if folded(word) in _PARTICLES else f"{word[: max(1, min(_SHOWN, len(word) - 1))]}…"


def _identifying_words(name: str) -> list[str]:
    words = _WORD.findall(folded(name))
    own = [word for word in words if word not in _LEGAL and word not in _COMPANY]
    return own or [word for word in words if word not in _LEGAL] or words


def _numbers(words: list[str]) -> set[int]:
    """Return the numbers by which branches of one name differ: `Posto 3`, `Loja 07`; no document in the name."""
    return {int(word) for word in words if word.isdecimal() and len(word) <= _LONGEST_NUMBER}


def _join_words(words: list[str]) -> str:
    return "".join(words)


def _is_same(word: str, other: str) -> bool:
    """Return whether one word is a prefix or initial of the other, or equal but for a letter or two."""
    short, long = sorted((word, other), key=len)
    if len(short) < _SHORTEST_PART:
        return long.startswith(short)
    return long.startswith(short) or SequenceMatcher(None, short, long).ratio() >= _LIKE


def _is_acronym(words: list[str], name: str) -> bool:
    """Return whether the first of these words is the initials of a name."""
    initials = [word[0] for word in _WORD.findall(folded(name)) if word not in _LEGAL]
    return len(words[0]) >= _SHORTEST_PART and "".join(initials).startswith(words[0])
