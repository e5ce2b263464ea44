"""The provider's arithmetic compared with amounts from the real wire."""

import pytest

from connectors.nfse.emulator.amounts import as_text, hundredths, with_amounts

RATES = {
    "iss_percentage": "5.00",
    "pis_percentage": "0.65",
    "cofins_percentage": "3.00",
    "ir_percentage": "1.50",
    "csll_percentage": "1.00",
}


@pytest.mark.parametrize(
    ("service", "inss", "base", "expected"),
    [
        ("0.99", None, None, ["0.99", "0.04", "0.00", "0.00", "0.00", "0.00", "0.00", "0.99"]),
        ("90.00", "2.00", None, ["90.00", "4.50", "0.58", "2.70", "1.35", "0.90", "1.80", "82.67"]),
        ("100.00", None, None, ["100.00", "5.00", "0.65", "3.00", "1.50", "1.00", "0.00", "93.85"]),
        ("1000.00", None, None, ["1000.00", "50.00", "6.50", "30.00", "15.00", "10.00", "0.00", "938.50"]),
        ("1408.66", None, "1408.67", ["1408.67", "70.43", "9.15", "42.26", "21.13", "14.08", "0.00", "1322.05"]),
    ],
)
def test_amounts_equal_those_of_observed_notes(service, inss, base, expected):
    rates = RATES if service != "0.99" else {"iss_percentage": "5.00"}  # Nothing was withheld from that note.
    amounts = with_amounts(rates | {"service_amount": service, "inss_percentage": inss, "calculation_base": base})
    names = ["calculation_base", "iss_amount", "pis_amount", "cofins_amount", "ir_amount", "csll_amount", "inss_amount"]
    assert [amounts[name] for name in [*names, "nfse_liquid_amount"]] == expected


def test_truncates_never_rounds():
    assert with_amounts({"service_amount": "99.99", "iss_percentage": "5.00"})["iss_amount"] == "4.99"


@pytest.mark.parametrize(
    ("service", "ir", "pis"), [("666.67", "10.00", "4.33"), ("666.66", "0.00", "4.33"), ("215.04", "0.00", "0.00")]
)
def test_minimums_waive_below_them(service, ir, pis):
    rates = RATES if service != "0.99" else {"iss_percentage": "5.00"}  # Nothing was withheld from that note.
    amounts = with_amounts(rates | {"service_amount": service, "ir_limit": "666.67", "pcc_limit": "215.05"})
    assert (amounts["ir_amount"], amounts["pis_amount"]) == (ir, pis)


def test_base_is_less_four_shares_of_the_service():
    shares = ("discount_conditioning", "unconditioned_discount", "deduction", "other_retentions")
    amounts = with_amounts({"service_amount": "99.99"} | {f"{share}_percentage": "10.00" for share in shares})
    assert [amounts[f"{share}_amount"] for share in shares] == ["9.99"] * 4
    assert amounts["calculation_base"] == amounts["nfse_liquid_amount"] == "60.03"


def test_iss_leaves_the_liquid_amount_only_where_retained():
    values = {"service_amount": "100.00", "iss_percentage": "2.00"}
    assert with_amounts(values)["nfse_liquid_amount"] == "100.00"
    retained = with_amounts(values | {"retained_iss": True})
    assert (retained["retained_iss_amount"], retained["nfse_liquid_amount"]) == ("2.00", "98.00")
    waived = with_amounts(values | {"retained_iss": True, "retained_iss_limit": "100.01"})
    assert waived["nfse_liquid_amount"] == "100.00"


def test_supplied_amounts_are_taken_as_they_are():
    amounts = with_amounts(RATES | {"service_amount": "100.00", "ir_amount": "7.77", "nfse_liquid_amount": "1.23"})
    assert (amounts["ir_amount"], amounts["nfse_liquid_amount"]) == ("7.77", "1.23")


def test_amounts_are_read_and_written_as_text():
    assert [hundredths(text) for text in (None, "0.65", "5", 5, "1.5")] == [0, 65, 500, 500, 150]
    assert [as_text(cents) for cents in (0, 5, 123456, -250)] == ["0.00", "0.05", "1234.56", "-2.50"]
