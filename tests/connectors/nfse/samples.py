"""A note's content as the line composes it, and a shortcut to post one."""

from datetime import UTC, datetime

RIO, SAO_PAULO = "99000001000101", "99000002000148"
EMITTED_AT = datetime(2026, 11, 20, 15, 30, tzinfo=UTC)
AMOUNTS = {
    "service_amount": "1000.00",
    "calculation_base": "1000.00",
    "deduction_amount": "0.00",
    "iss_amount": "50.00",
    "pis_amount": "6.50",
    "cofins_amount": "30.00",
    "inss_amount": "0.00",
    "ir_amount": "15.00",
    "csll_amount": "10.00",
    "discount_conditioning_amount": "0.00",
    "unconditioned_discount_amount": "0.00",
    "other_retentions_amount": "0.00",
    "retained_iss_amount": "0.00",
    "nfse_liquid_amount": "938.50",
}


def content(emitter_id=1, **more):
    """Return a consulting note of a Rio emitter, amounts in full and rates beside them."""
    return {
        "emitter_id": emitter_id,
        "rps_situation": 1,
        "rps_type": 1,
        "operation_nature": 1,
        "competence": "2026-11-01",
        "taker": {"cnpj": "99000010000194", "social_reason": "Padaria do Cais Ltda"},
        "service_values": {
            **AMOUNTS,
            "iss_percentage": "5.00",
            "service_item_code": "1701",
            "city_tax_code": "170101",
            "description": "Serviços de consultoria",
        },
        **more,
    }


def body(client, batch_id, number, serie="F", **more):
    return client.notes.body(content(**more), batch_id=batch_id, serie=serie, number=number, emission_at=EMITTED_AT)


async def staged(client, count=1, name="lote", serie="F"):
    """Post `count` notes into a batch, numbers from 1. Return the batch's id and the posted notes."""
    batch = await client.batches.create(1, name)
    notes = [await client.notes.create(body(client, batch.id, number, serie)) for number in range(1, count + 1)]
    return batch.id, notes
