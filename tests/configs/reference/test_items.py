"""The national list of services: complete, with the law's own codes."""

from collections import Counter

from configs.reference.items import Item, load_items

SERVICES_OF_ITEM = {
    1: 9, 2: 1, 3: 4, 4: 23, 5: 9, 6: 6, 7: 20, 8: 2, 9: 3, 10: 10, 11: 5, 12: 17, 13: 4, 14: 14, 15: 18, 16: 2, 17: 24,
    20: 3, 25: 5,
}  # fmt: skip
VETOED = ("03.01", "07.14", "07.15", "13.01", "17.07")
ADDED = ("01.09", "06.06", "11.05", "14.14", "16.02", "17.25", "25.05")


def test_the_list_is_that_of_the_law() -> None:
    items = load_items()._by_code
    assert len(load_items()) == len(items) == 200
    counted = Counter(int(code[:2]) for code in items)
    assert counted == {number: SERVICES_OF_ITEM.get(number, 1) for number in range(1, 41)}
    assert not set(VETOED) & set(items)
    assert set(ADDED) <= set(items)
    assert list(items) == sorted(items)


def test_an_item_is_found_by_its_code() -> None:
    assert load_items().by_code("17.19") == Item("17.19", "Contabilidade, inclusive serviços técnicos e auxiliares")
    assert load_items().by_code("1.05") is None
    assert load_items().by_code("99.99") is None
