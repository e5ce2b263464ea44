"""The `_links` of each resource: absolute URLs [A notes 1.19]."""

from collections.abc import Iterable

from connectors.emulation.messages import Json


def link(href: str, method: str, rel: str) -> Json:
    return {"href": href, "method": method, "rel": rel}


def instance_links(address: str, rels: Iterable[tuple[str, str, str]] = ()) -> list[Json]:
    """Return links to read, change and delete a resource, and more links as (method, rel, path below it)."""
    own = [
        link(address, "GET", "self"),
        link(address, "PUT", "update"),
        link(address, "PATCH", "partial_update"),
        link(address, "DELETE", "destroy"),
    ]
    return own + [link(f"{address}/{below}", method, rel) for method, rel, below in rels]


def batch_links(base: str, batch_id: int) -> list[Json]:
    address = f"{base}/api/v1/batches/{batch_id}"
    return [
        link(address, "GET", "self"),
        link(f"{address}/nfse", "GET", "nfse"),
        link(f"{address}/send", "POST", "send"),
        link(f"{address}/cancel", "POST", "cancel"),
        link(f"{address}/history", "GET", "history"),
    ]


def note_links(base: str, note_id: int, batch_id: int | None, *, is_complete: bool) -> list[Json]:
    """Return a note's links: update for incomplete notes only [A notes 1.3], its batch if it has one [A notes 1.1]."""
    address = f"{base}/api/v1/nfse/{note_id}"
    links = [link(address, "GET", "self")]
    if not is_complete:
        links += [link(address, "PUT", "update"), link(address, "PATCH", "partial_update")]
    links += [
        link(address, "DELETE", "destroy"),
        link(f"{address}/cancel", "POST", "cancel"),
        link(f"{address}/status", "GET", "status"),
        link(f"{address}/history", "GET", "history"),
        link(f"{address}/mirror", "GET", "mirror"),
        link(f"{address}/xml", "GET", "xml"),
        link(f"{address}/pdf", "GET", "pdf"),
    ]
    if batch_id is not None:
        links.append(link(f"{base}/api/v1/batches/{batch_id}", "GET", "batch"))
    return links
