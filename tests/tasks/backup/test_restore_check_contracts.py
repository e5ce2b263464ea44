"""After a restored copy, no contract is billed twice: the copy does not know what changed after it."""

from tasks.cancellations.cancel import cancel_batch
from tests.flows.test_monthly_billing import bill, enter
from tests.tasks.backup.test_restore_check import copied, finish, free, numbers_there, restored, stage, take_back
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.contracts.sheets import contract
from tests.tasks.rows import lines


def test_contracts_billed_after_the_copy_are_not_billed_twice(shop, tmp_path):
    enter(shop, tmp_path, contract(1), contract(2))
    path = copied(shop)
    # one changes before it is billed, the other one's invoice is cancelled
    enter(shop, tmp_path, contract(1, Valor="500,00"))
    bill()
    (batch,) = shop.batches()
    request_cancellation(shop, batch.id, (1,))
    for _ in range(2):
        shop.run(cancel_batch, batch.id)
    with restored(shop, path) as again:
        free(again)
        (reading,) = bill()
        assert again.problems(reading) == {row: ["row.customer_billed_before_loss"] for row in (2, 3)}
        assert numbers_there(again) == [1, 2]


def test_a_planned_contract_changed_after_the_copy_is_not_billed_twice(shop):
    (batch,) = shop.assembled(*lines(1), is_of_contracts=True)[1]
    path = copied(shop)
    stage(shop, batch)
    take_back(shop, batch)
    finish(shop, shop.assembled(*lines(1, service_cents=5), is_of_contracts=True)[1][0])
    there = numbers_there(shop)
    with restored(shop, path) as again:
        free(again)
        stage(again, batch)
        assert again.incidents() == ["batch.billed_before_loss"]
        assert numbers_there(again) == there
