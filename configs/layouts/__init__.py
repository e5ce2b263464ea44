"""Sheet layouts as data: which headers people write for which field. A new alias is one line in a TOML file."""

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

LAYOUTS: Final = (
    # must be first: of two layouts with the same field, messages use the header of the later one
    "replacements",
    "services",
    "products",
    "takers",
    "templates",
    "emitters",
    "contracts",
    "indexes",
    "cancellations",
)


@functools.cache
def read_layout(name: str) -> Mapping[str, Any]:
    """Return the content of `<name>.toml`; the name is one of `LAYOUTS`. A process reads each file once."""
    if name not in LAYOUTS:
        raise ValueError(f"no such layout: {name}")
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))


def headers_of(name: str) -> dict[str, str]:
    """Return the usual header of each field of one layout."""
    return {field: headers[0] for field, headers in read_layout(name)["fields"].items()}


@functools.cache
def usual_headers() -> Mapping[str, str]:
    """Return the usual header of each field, over all layouts."""
    return {field: header for name in LAYOUTS for field, header in headers_of(name).items()}


def accountant_layouts() -> Mapping[str, Mapping[str, Any]]:
    """Return the layouts of files for accountants, by name: the fields of a line, and the source that defines them."""
    found = sorted(files(__name__).joinpath("accountant").iterdir(), key=lambda each: each.name)
    return {
        each.name.removesuffix(".toml"): tomllib.loads(each.read_text("utf-8"))
        for each in found
        if each.name.endswith(".toml")
    }
