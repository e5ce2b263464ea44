"""Discounts are the negative adjustments."""


def test_only_what_is_taken_off(ask):
    async def talk(client):
        found = {}
        for slug in ("essencial", "profissional", "empresarial"):
            async for page in client.orders.of_plan(slug):
                for order in page.items:
                    found[order.number] = await client.discounts.of_order(slug, order.number)
        return found

    found = ask(talk)
    assert {number: [each.amount for each in each_of] for number, each_of in found.items() if each_of} == {
        5: [-5_000],
        29: [-5_000],
    }
