"""Gather figures for Prometheus. All but the age of the newest copy come from the ledger, equal on every machine."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from connectors.http.request_stats import BUCKETS_S
from connectors.ledger import hints, incidents, rate_limits, request_counts
from connectors.ledger.alerts import open_alerts
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.observations.ages import batches_under_way
from connectors.ledger.observations.situation import refused_files, stalled_files
from connectors.ledger.observations.totals import count_states, due_since, waiting_approval
from tasks.backup.copies import newest_copy_at
from tasks.runtime import Context

_BOUNDS: Final = (*map(str, BUCKETS_S), "+Inf")


class _Gathered(Collector):
    """Metrics gathered before Prometheus asks for them."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        yield from self._metrics


def metrics_text(context: Context) -> bytes:
    """Return the current figures in Prometheus' text format. Labels name no person: only states, topics and systems."""
    registry = CollectorRegistry()
    registry.register(_Gathered([*_counts(context), *_ages(context), *_systems(context), *_deliveries(context)]))
    return generate_latest(registry)


def _gauge(name: str, text: str, by: Mapping[str, float], label: str) -> Metric:
    found = GaugeMetricFamily(f"faturista_{name}", text, labels=[label])
    for value, figure in sorted(by.items()):
        found.add_metric([value], figure)
    return found


def _number(name: str, text: str, figure: float) -> Metric:
    return GaugeMetricFamily(f"faturista_{name}", text, value=figure)


def _counts(context: Context) -> Iterator[Metric]:
    for name, states in context.ledger.read(count_states).items():
        yield _gauge(name, f"Number of {name} by state.", states, "state")
    alerts = Counter(alert.topic for alert in context.ledger.read(open_alerts))
    yield _gauge("alerts_open", "Open alerts by topic.", alerts, "topic")
    opened = context.ledger.read(incidents.incidents_open)
    yield _number("incidents_open", "Incidents that wait for a person.", len(opened))
    waiting = context.ledger.read(waiting_approval)
    yield _number(
        "approval_cents", "Total of batches that wait for approval.", sum(each.total_cents for each in waiting)
    )
    refused = context.ledger.read(refused_files, days=context.settings.retention.refused_days)
    yield _number("rows_returned", "Refused rows that nobody corrected.", sum(each.count for each in refused))
    stalled = context.ledger.read(stalled_files, idle_s=context.settings.protocol.lease_s)
    yield _number("files_stalled", "Files that stopped on their way in.", len(stalled))


def _ages(context: Context) -> Iterator[Metric]:
    """Yield ages in seconds: 0 if nothing waits, and none for the backup if there is no copy."""
    at = context.ledger.read(ledger_now)
    due = context.ledger.read(due_since)
    yield _number("ledger_lag_seconds", "How long the most overdue batch is due.", _age(due, at))
    under_way = context.ledger.read(batches_under_way)
    oldest = under_way[0].since if under_way else None
    yield _number("oldest_batch_seconds", "Age of the oldest batch under way.", _age(oldest, at))
    newest = newest_copy_at(context)
    if newest is not None:
        yield _number("backup_age_seconds", "Age of the newest copy of the ledger.", _age(newest, context.clock()))


def _age(since: datetime | None, at: datetime) -> float:
    return 0.0 if since is None else max(0.0, (at - since).total_seconds())


def _systems(context: Context) -> Iterator[Metric]:
    seen = context.ledger.read(request_counts.latencies)
    resting = context.ledger.read(rate_limits.silent_systems)
    systems = {*context.registry.systems, *seen, *resting}
    by_system = {system: float(system in resting) for system in systems}
    yield _gauge("provider_resting", "1 while nobody asks this provider.", by_system, "system")
    text = "Seconds that requests took."
    found = HistogramMetricFamily("faturista_request_seconds", text, labels=["system", "outcome"])
    for system, counts in sorted(seen.items()):
        for outcome in sorted({outcome for outcome, _ in counts}):
            below, buckets, seconds = 0, [], 0.0
            for index, bound in enumerate(_BOUNDS):
                requests, took_s = counts.get((outcome, index), (0, 0.0))
                below, seconds = below + requests, seconds + took_s
                buckets.append((bound, float(below)))
            found.add_metric([system, outcome], buckets=buckets, sum_value=seconds)
    yield found


def _deliveries(context: Context) -> Iterator[Metric]:
    deliveries = context.ledger.read(hints.delivery_counts)
    counts = {outcome: float(count) for outcome, (count, _) in deliveries.items()}
    yield _gauge(
        "deliveries", "Deliveries of webhooks since the ledger began, by what became of them.", counts, "outcome"
    )
    yield _number("hints", "Invoices to look at sooner.", context.ledger.read(hints.count_hints))
