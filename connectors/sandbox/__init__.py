"""The sandbox: the providers' emulators as one server on a loopback socket, with their state in one file.

    python -m connectors.sandbox --port 0 --state FILE --port-file FILE [--switch NAME=VALUE …]

Service invoices are under `/api/v1`; the token is "sandbox-token" with any password. Product invoices are under
`/api/v1/organizations`; their token is "sandbox-product-token". The order service is under the rest of `/api`; its
consumer is "sandbox-consumer", the password "sandbox-secret". The identity service is under `/organizations/api`; its
application is "sandbox-application", the order service's "sandbox-orders", both with the secret "sandbox-secret".
Killed and started again on the same file, it is the same provider. Under `/_sandbox` (no token) it is steered, in JSON;
`connectors.sandbox.control` says how.

A further emulator is one line in `connectors.sandbox.assembly`; a further noun one line in its emulator's `branch`.
"""

from connectors.sandbox.application import build_sandbox
from connectors.sandbox.server import SandboxServer, prepare, serve

__all__ = ["SandboxServer", "build_sandbox", "prepare", "serve"]
