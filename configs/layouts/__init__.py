"""Sheet layouts as data: which headers people write for which field. A new alias is one line in a TOML file."""

import tomllib
from importlib.resources import files
from typing import Any, Final

LAYOUTS: Final = ("services", "products", "takers", "templates", "emitters", "contracts", "indexes")


def read_layout(name: str) -> dict[str, Any]:
    """Return the content of `<name>.toml`; the name is one of `LAYOUTS`."""
    if name not in LAYOUTS:
        raise ValueError(f"no such layout: {name}")
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))
