"""One limit of requests in flight for all sessions of a system, on both databases."""

import sqlalchemy as sa

from connectors.ledger import request_slots, tables
from connectors.ledger.request_slots import SlotRequest
from connectors.process_names import process_name

SYSTEM = "nfse"


def asked(in_use=0, limit=12):
    return SlotRequest(in_use=in_use, limit=limit, request_timeout_s=30.0)


def take(ledger, owner, in_use=0, limit=12):
    return ledger.write(request_slots.take_share, SYSTEM, owner, asked(in_use, limit)).slots


def pass_time(ledger, seconds):
    back = round(seconds * 1_000_000)
    ledger.write(
        lambda conn: conn.exec_driver_sql(
            f'UPDATE request_slots SET since = since - {back}, "until" = "until" - {back}'
        )
    )


def test_alone_a_session_has_the_whole_limit(ledger):
    assert take(ledger, "a") == 12
    assert ledger.read(request_slots.share_of, SYSTEM, "a", asked()).slots == 12


def test_a_new_session_waits_for_slots_of_others(ledger):
    assert take(ledger, "a") == 12
    assert take(ledger, "b") == 0
    # seven requests of "a" are still under way
    assert take(ledger, "a", in_use=7) == 6
    assert take(ledger, "b") == 5
    assert take(ledger, "a", in_use=3) == 6
    assert take(ledger, "b", in_use=5) == 6


def test_a_look_that_changes_nothing_writes_nothing(ledger):
    take(ledger, "a")
    assert ledger.read(request_slots.share_of, SYSTEM, "a", asked(4)).for_s > 5
    take(ledger, "b")
    assert ledger.read(request_slots.share_of, SYSTEM, "a", asked(4)) is None
    take(ledger, "a", in_use=4)
    pass_time(ledger, 6)
    assert ledger.read(request_slots.share_of, SYSTEM, "a", asked(4)) is None


def test_a_share_is_stored_with_one_read_of_the_holders(ledger):
    for each in "abc":
        take(ledger, each)

    def reads(conn):
        found = []
        sa.event.listen(conn, "before_cursor_execute", lambda _1, _2, statement, *_: found.append(statement))
        request_slots.take_share(conn, SYSTEM, "a", asked(12))
        return [each for each in found if each.startswith("SELECT") and "request_slots" in each]

    assert len(ledger.write(reads)) == 1


def test_a_dead_session_frees_its_slots_by_time(ledger):
    take(ledger, "dead")
    assert take(ledger, "b") == 0
    pass_time(ledger, 39)
    # a request that it began at the last instant may be under way
    assert take(ledger, "b") == 0
    pass_time(ledger, 2)
    assert take(ledger, "b") == 12


def test_an_end_far_ahead_counts_as_a_clock_set_back(ledger):
    take(ledger, "a")
    pass_time(ledger, -3_600)
    assert take(ledger, "b") == 12


def test_slots_given_back_are_free_at_once(ledger):
    take(ledger, "a")
    ledger.write(request_slots.give_back, SYSTEM, "a")
    assert take(ledger, "b") == 12
    assert ledger.write(request_slots.take_share, "orders", "a", asked()).slots == 12


def test_with_too_many_sessions_each_gets_its_turn(ledger):
    owners = ["a", "b", "c", "d", "e"]
    had = set()
    for _ in range(8):
        shares = {owner: take(ledger, owner, limit=2) for owner in owners}
        stored = ledger.read(lambda conn: conn.scalar(sa.select(sa.func.sum(tables.request_slots.c.slots))))
        assert stored <= 2
        had |= {owner for owner, slots in shares.items() if slots}
        pass_time(ledger, 1.5)
    assert had == set(owners)
    assert [crowd.sessions for crowd in ledger.read(request_slots.sessions_by_system)] == [5]


def test_the_sum_is_never_above_the_limit(ledger):
    in_use: dict[str, int] = {}
    for step in range(60):
        owner = "abcd"[step * 7 % 4]
        if step % 11 == 10:
            ledger.write(request_slots.give_back, SYSTEM, owner)
            in_use.pop(owner, None)
            continue
        share = take(ledger, owner, in_use=in_use.get(owner, 0))
        in_use[owner] = max(in_use.get(owner, 0) - step % 3, share if step % 2 else 0)
        assert sum(in_use.values()) <= 12
        pass_time(ledger, 0.4)


def test_slots_of_a_process_that_ended_are_free_at_once(ledger):
    name, _, start = process_name().rpartition("-")
    ended = f"{name}-{int(start) + 1} session"
    assert take(ledger, ended, in_use=12) == 12
    assert ledger.read(request_slots.sessions_by_system) == []
    assert ledger.read(request_slots.share_of, SYSTEM, f"{process_name()} session", asked()) is None
    assert take(ledger, f"{process_name()} session") == 12
    assert take(ledger, "another-machine:1-1 session") == 0
