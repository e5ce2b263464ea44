"""Compose the canonical invoice of a services row."""

import dataclasses
from collections.abc import Collection, Mapping
from datetime import date
from typing import Any, Final

from domain import money
from domain.cities import CityRules
from domain.corrections.answers import ISS_UNUSUAL
from domain.issuing.service_invoice import ServiceInvoice
from domain.keys import business_key
from domain.problems import Problem
from domain.services.lines import ServiceLine
from domain.taxes import ServiceAmounts, compute_amounts, needs_confirmation, unconfirmed_part, withheld_rates
from domain.templates import ServiceTemplate, TaxProfile
from domain.texts import text_problem

_TAXES: Final = ("iss_cents", "pis_cents", "cofins_cents", "csll_cents", "ir_cents", "inss_cents")
_STATED_TAXES: Final = (*_TAXES, "pcc_cents", "federal_cents")
_RATES: Final = tuple(field.name for field in dataclasses.fields(TaxProfile) if field.name.endswith("_bp"))
TAX_BURDEN_SOURCE_LENGTH: Final = 10
LEAST_ISS_BP: Final = 200
MOST_ISS_BP: Final = 500
"""Federal law (LC 116, articles 8 and 8-A) limits ISS to 2 to 5 %."""
LARGEST_CENTS: Final = 10**16 - 1
"""Document 000: an amount has up to 16 digits, two of them decimals."""


def compose_invoice(
    line: ServiceLine,
    *,
    emitter_cnpj: str,
    city: CityRules,
    taker_remote_id: int,
    taker_name: str | None = None,
    template: ServiceTemplate,
    is_confirmed: bool = False,
    replaces: Mapping[str, Any] | None = None,
) -> ServiceInvoice | list[Problem]:
    """Return the invoice of a row, or everything that is wrong with the row.

    `taker_name` is the customer's name in the issuer's register. `is_confirmed`: the provider's own calculation agreed
    with ours for this template; without it a deduction, a discount, another retention or a retained ISS is refused. The
    row must have a competence. `replaces`: see `ServiceInvoice`.
    """
    profile = template.profile.overridden(line.rates)
    bad_rates = _rate_problems(profile) or _unusual_rate(line, template)
    amounts = compute_amounts(max(line.service_cents, 0), TaxProfile() if bad_rates else profile)
    texts, problems = _texts(line, template, city)
    place, unplaced = _place(line, city)
    problems += unplaced
    problems += bad_rates or [*_amount_problems(line, amounts), *_tax_problems(line, amounts)]
    problems += _unconfirmed(profile, template, line, amounts, is_confirmed=is_confirmed)
    if line.competence is None:
        problems.append(Problem("competence.missing", "competence"))
    if line.taker.document is None:
        problems.append(Problem("document.missing", "document"))
    elif city.refuses_federal_retentions_of_cpf and line.taker.document.kind == "cpf" and amounts.federal_cents:
        problems.append(Problem("city.federal_retentions_of_cpf", "document", params={"city": city.name}))
    if problems or line.competence is None or line.taker.document is None:
        return problems
    withheld = withheld_rates(amounts.service_cents, profile)
    return ServiceInvoice(
        emitter_cnpj=emitter_cnpj,
        taker_id=taker_remote_id,
        taker_document=line.taker.document.number,
        taker_name=taker_name,
        competence=line.competence,
        emission_at=line.emission_at,
        city_code=template.city_code or city.code,
        amounts=amounts,
        # a waived retention has rate zero: an invoice has no field for the minimum that waived it
        rates={f"{name}_bp": rate for name, rate in {"iss": profile.iss_bp, **withheld}.items()},
        retained_iss=withheld["retained_iss"] > 0,
        highlight_retentions=template.highlight_retentions,
        send_to_taker=line.send_to_taker,
        replaces=replaces,
        business_key=_business_key(line, emitter_cnpj, template.name, texts["description"]),
        **(texts | place | _tax_burden(line, template)),
    )


def other_keys(
    line: ServiceLine, invoice: ServiceInvoice, *, template_names: Collection[str], months: Collection[date]
) -> set[str]:
    """Return the other keys of a row's charge: by each name of its template, in its month and in these."""
    lines = [line, *(dataclasses.replace(line, competence=month) for month in months)]
    emitter, text = invoice.emitter_cnpj, invoice.description
    return {_business_key(each, emitter, name, text) for each in lines for name in template_names} - {
        invoice.business_key
    }


def _business_key(line: ServiceLine, emitter_cnpj: str, template_name: str, description: str) -> str:
    assert line.competence is not None
    assert line.taker.document is not None
    return business_key(
        emitter_cnpj=emitter_cnpj,
        competence=line.competence,
        own_key=line.own_key,
        contract=line.contract,
        charge_month=line.charge_month,
        paid_invoice=line.paid_invoice,
        replaces=line.replaces,
        taker_document=line.taker.document.number,
        template=template_name,
        service_cents=line.service_cents,
        description=description,
    )


def _texts(line: ServiceLine, template: ServiceTemplate, city: CityRules) -> tuple[dict[str, Any], list[Problem]]:
    """Return codes and texts by name, in the city's form. The row's values replace the template's."""
    contract = f"Contrato {line.contract}" if line.contract else None
    reference = f"Ref. {line.reference}" if line.reference else None
    found: dict[str, str | Problem | None] = {
        "description": line.description or template.description,
        "service_item_code": line.service_item_code or template.service_item_code,
        "city_tax_code": line.city_tax_code or template.city_tax_code,
        "cnae_code": line.cnae_code or template.cnae_code,
        "observations": " | ".join(text for text in (line.observations, contract, reference) if text) or None,
    }
    required = ["description", "service_item_code", *(["city_tax_code"] if city.tax_code_digits else [])]
    problems = [
        Problem("template.lacks", name, params={"template": template.name}) for name in required if not found[name]
    ]
    for name, read in (("service_item_code", city.item_code_of), ("city_tax_code", city.tax_code_of)):
        if isinstance(text := found[name], str):
            found[name] = read(text)
    texts = {name: each for name, each in found.items() if isinstance(each, str)}
    problems += [each for each in found.values() if isinstance(each, Problem)]
    unfit = (text_problem(name, text, city.text_limits.get(name, 255)) for name, text in texts.items())
    return texts, problems + [problem for problem in unfit if problem is not None]


def _place(line: ServiceLine, city: CityRules) -> tuple[dict[str, Any], list[Problem]]:
    """Return RPS type, situation, operation nature and special regime, each only where the city uses it."""
    values: dict[str, Any] = {
        "rps_type": city.rps_type,
        "rps_situation": city.situation_of(line.rps_situation) if line.rps_situation else city.rps_situation,
        "operation_nature": city.nature_of(line.operation_nature) if line.operation_nature else city.operation_nature,
        "special_regime": city.special_regime,
    }
    problems = [value for value in values.values() if isinstance(value, Problem)]
    return {name: value for name, value in values.items() if value is not None}, problems


def _rate_problems(profile: TaxProfile) -> list[Problem]:
    rates = {name: getattr(profile, name) for name in _RATES}
    return [
        Problem("amount.rate_out_of_range", name, params={"rate": money.to_wire(rate).replace(".", ",")})
        for name, rate in rates.items()
        if rate is not None and not 0 <= rate <= money.BASIS_POINTS_IN_ONE
    ]


def _unusual_rate(line: ServiceLine, template: ServiceTemplate) -> list[Problem]:
    """Return a question about an ISS rate that no city has, unless the template has it too or a person answered."""
    rate = line.iss_bp
    is_usual = rate is None or LEAST_ISS_BP <= rate <= MOST_ISS_BP or rate == template.profile.iss_bp
    if rate is None or is_usual or line.is_answered(ISS_UNUSUAL):
        return []
    return [Problem(ISS_UNUSUAL, "iss_bp", params={"rate": money.to_wire(rate).replace(".", ",")})]


def _amount_problems(line: ServiceLine, amounts: ServiceAmounts) -> list[Problem]:
    if not 0 < line.service_cents <= LARGEST_CENTS:
        return [
            Problem("amount.out_of_range", "service_cents", params={"amount": money.format_brl(line.service_cents)})
        ]
    if min(amounts.calculation_base_cents, amounts.liquid_cents) < 0:
        return [
            Problem(
                "amount.liquid_negative", "service_cents", params={"liquid": money.format_brl(amounts.liquid_cents)}
            )
        ]
    return []


def _tax_problems(line: ServiceLine, amounts: ServiceAmounts) -> list[Problem]:
    """Return a problem for each tax where the sheet's own sum differs from ours."""
    if not line.tax_burden_source and all(getattr(line, name) is None for name in _STATED_TAXES):
        return []
    ours: dict[str, tuple[int, ...]] = {name: (getattr(amounts, name),) for name in _TAXES}
    pcc = amounts.pis_cents + amounts.cofins_cents + amounts.csll_cents
    # opinions differ on whether "federal retentions" include the social security's part
    ours |= {"pcc_cents": (pcc,), "federal_cents": (amounts.federal_cents, pcc + amounts.ir_cents)}
    unfit = text_problem("tax_burden_source", line.tax_burden_source or "", TAX_BURDEN_SOURCE_LENGTH)
    return ([unfit] if unfit else []) + [
        Problem(
            "amount.tax_differs", name, params={"stated": money.format_brl(written), "ours": money.format_brl(cents[0])}
        )
        for name, cents in ours.items()
        if (written := getattr(line, name)) is not None and written not in cents
    ]


def _tax_burden(line: ServiceLine, template: ServiceTemplate) -> dict[str, Any]:
    """Return the total tax burden, from the row if it has one, else from the template."""
    by_row = line.tax_burden_cents is not None or line.tax_burden_bp is not None
    source = line if by_row else template
    values: dict[str, Any] = {"tax_burden_source": line.tax_burden_source or template.tax_burden_source or None}
    if source.tax_burden_bp is not None:
        return values | {"tax_burden_bp": source.tax_burden_bp}
    return values | {"tax_burden_cents": source.tax_burden_cents}


def _unconfirmed(
    profile: TaxProfile, template: ServiceTemplate, line: ServiceLine, amounts: ServiceAmounts, *, is_confirmed: bool
) -> list[Problem]:
    """Return a problem for each amount whose rule was never observed at the provider.

    There is none once the provider's own calculation agreed with ours (`is_confirmed`).
    """
    unexplained = [
        name
        for name in ("deduction_cents", "unconditioned_discount_cents", "discount_conditioning_cents")
        if (written := getattr(line, name)) is not None and written != getattr(amounts, name)
    ]
    agrees = is_confirmed and unconfirmed_part(profile) == unconfirmed_part(template.profile)
    if needs_confirmation(profile) and not agrees and not unexplained:
        unexplained = ["retained_iss" if profile.retained_iss else "deduction_cents"]
    return [Problem("amount.unconfirmed", name, params={"template": template.name}) for name in unexplained]
