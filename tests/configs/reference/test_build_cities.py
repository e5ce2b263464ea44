"""The generator of the municipalities' table, on a small wheel of the same shape."""

import zipfile

from configs.reference.build_cities import gather_cities, write_cities
from configs.reference.cities import City


def test_facts_are_taken_from_the_state_tables_and_nothing_else(tmp_path):
    wheel = tmp_path / "tables.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            "pynfe/data/MunIBGE/MunIBGE-UF35.txt", "\ufeff3550308\tSão Paulo\n\n3500105\tAdamantina \nnote\n"
        )
        archive.writestr("pynfe/data/MunIBGE/MunIBGE-UF33.txt", "3304557 Rio de Janeiro\r\n")
        archive.writestr("pynfe/data/MunIBGE/MunIBGE-UF99.txt", "9999999\tEXTERIOR\n")
        archive.writestr("pynfe/data/other.txt", "3500204\tAdolfo\n")
    cities = gather_cities(wheel)
    assert cities == [
        City("3304557", "Rio de Janeiro", "RJ"),
        City("3500105", "Adamantina", "SP"),
        City("3550308", "São Paulo", "SP"),
    ]
    table = tmp_path / "cities.csv"
    write_cities(cities, table)
    assert table.read_text(encoding="utf-8").splitlines()[:2] == ["code,name,uf", "3304557,Rio de Janeiro,RJ"]
