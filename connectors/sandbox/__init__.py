"""The sandbox: the providers' emulators as one server on a loopback socket, with their state in one file.

    python -m connectors.sandbox --port 0 --state FILE --port-file FILE [--switch NAME=VALUE …]

Service invoices are under `/api/v1`; the token is "sandbox-token" with any password. Product invoices are under
`/api/v1/organizations`; their token is "sandbox-product-token". The order service is under the rest of `/api`; its
consumer is "sandbox-consumer", the password "sandbox-secret". The identity service is under `/organizations/api`; its
application is "sandbox-application", the order service's is "sandbox-orders", both with the secret "sandbox-secret". A
restart on the same file continues the same provider, even after a kill. JSON requests under `/_sandbox` (no token)
control it, see `connectors.sandbox.control`.

To add an emulator, add one line to `connectors.sandbox.application`; to add a noun, one line to its emulator's
`system`.
"""

from connectors.sandbox.application import build_sandbox
from connectors.sandbox.server import SandboxServer, prepare, serve

__all__ = ["SandboxServer", "build_sandbox", "prepare", "serve"]
