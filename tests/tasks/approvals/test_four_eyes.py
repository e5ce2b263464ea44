"""The name beside a yes."""

from tasks.approvals.four_eyes import signature


def test_the_account_stands_beside_a_name_that_differs():
    assert [signature("Ana", account) for account in ("", "Ana", "root")] == ["Ana", "Ana", "Ana (root)"]
