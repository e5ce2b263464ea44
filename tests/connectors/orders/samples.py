"""Orders as a client asks for them; every document and mailbox is invented."""

from connectors.orders.orders import Client, NewOrder

ACCOUNT = "5f0c7a52-99a1-4b0e-8c3e-000000000001"
IDENTITY = "5f0c7a52-99a1-4b0e-8c3e-0000000000aa"
CPF = "99000000130"
CNPJ = "99000010000194"
ADDRESS = {
    "address": "Rua das Acácias",
    "address_number": "10",
    "address_complement": "Sala 2",
    "address_quarter": "Centro",
    "address_city": "Recife",
    "address_state": "PE",
    "zip_code": "50010000",
}


def new_order(**more):
    asked = {"global_account": ACCOUNT, "client_email": "compras@cliente.example", "identity": IDENTITY}
    return NewOrder(**asked | more)


def company(**more):
    asked = {"identity": IDENTITY, "document_number": CNPJ, "client_email": "nota@cliente.example"}
    return Client(**asked | {"client_name": "Ateliê do Cais Ltda", **ADDRESS} | more)
