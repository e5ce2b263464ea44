"""Imported last by the server that forks the workers: what each of them would else load anew, loaded once for all."""

import gc
from typing import Final

from configs.catalogue import Catalogue
from configs.reference.cities import load_cities
from configs.reference.items import load_items

MODULES: Final = (
    *(
        "alembic.command",
        "anyio.streams.tls",
        "encodings.cp437",
        "h2.connection",
        "httpcore",
        "psycopg",
        "text_unidecode",
    ),
    *("tests.faults.worker", "tests.faults.matrix.life", __name__),
)
"""What a worker imports sooner or later."""

for _language in ("pt_BR", "en"):
    Catalogue.load(_language)
load_cities()
load_items()
# none of it is ever thrown away, so no worker has to look through it, and thereby to copy it
gc.freeze()
