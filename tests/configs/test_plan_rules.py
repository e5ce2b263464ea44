"""Test rule files: a file is read whole or not at all; each mistake is a sentence."""

import re
from datetime import date
from pathlib import Path

import pytest

from configs.catalogue import Catalogue
from configs.plan_rules import load_plan_rules
from domain.problems import SettingsError
from tests.house.tree import ROOT

GOOD = '[[rules]]\nplan = "a"\nemitter = "99.000.001/0001-01"\ntemplate = "T"\n'


def mistakes(folder: Path, text: str) -> list[str]:
    """Return the codes of the mistakes. Check that every sentence is complete."""
    path = folder / "plans.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        load_plan_rules(path)
    for language in ("en", "pt_BR"):
        shown = " ".join(Catalogue.load(language).explain(refused.value))
        assert not {"{path}", "{number}", "{plan}", "{key}", "{where}"} & set(re.findall(r"\{\w+\}", shown))
    return [problem.code for problem in (refused.value.problem, *refused.value.details)]


def test_the_documented_rule_file_is_valid(tmp_path: Path) -> None:
    found = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "paid-orders.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    path = tmp_path / "plans.toml"
    path.write_text(found[1], encoding="utf-8")
    rules = load_plan_rules(path)
    assert (rules.since, rules.plans) == (date(2026, 11, 1), ("essencial",))
    free, billed = rules.rules
    assert (free.is_billed, sorted(free.statuses)) == (False, ["expired", "trial"])
    assert (billed.emitter_cnpj, billed.template_name) == ("99000001000101", "Mensalidade Sistema")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("since = ", "rules.unreadable"),
        (GOOD, "rules.missing_key"),
        ("since = 2026-11-01\n", "rules.missing_key"),
        ("since = 2026-11-01\nrules = []\n", "rules.bad_value"),
        ('since = "soon"\n' + GOOD, "rules.bad_value"),
        ("since = 2026-11-01\nafter = 1\n" + GOOD, "rules.unknown_key"),
        ("since = 2026-11-01\n" + GOOD + "templat = 'x'\n", "rules.unknown_key"),
        ("since = 2026-11-01\n" + GOOD + 'orders = ["late"]\n', "rules.bad_value"),
        ("since = 2026-11-01\n" + GOOD.replace("01-01", "01-02"), "rules.no_emitter"),
        ("since = 2026-11-01\n" + GOOD.replace('"T"', '""'), "rules.no_template"),
        ("since = 2026-11-01\n" + GOOD + 'description = "{dia}"\n', "contract.placeholder"),
        ("since = 2026-11-01\n" + GOOD + 'description = "{mês"\n', "contract.stray_brace"),
        ("since = 2026-11-01\n" + GOOD + GOOD, "rules.never_reached"),
        ("since = 2026-11-01\n" + GOOD + GOOD + "numbers = [17]\n", "rules.never_reached"),
        ("since = 2026-11-01\n" + GOOD + 'numbers = ["x"]\n', "rules.bad_value"),
    ],
)
def test_each_mistake_is_a_sentence(tmp_path: Path, text: str, found: str) -> None:
    assert found in mistakes(tmp_path, text)


def test_a_mistake_names_its_rule_and_not_the_list(tmp_path: Path) -> None:
    codes = mistakes(tmp_path, 'since = 2026-11-01\n[[rules]]\nplan = "a"\nemiter = "1"\n')
    assert codes == ["rules.invalid", "rules.unknown_key"]


def test_a_missing_rule_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load_plan_rules(tmp_path / "none.toml")
    assert refused.value.problem.code == "rules.missing"
    assert str(tmp_path) in str(refused.value.problem.params["path"])
