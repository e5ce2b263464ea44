"""Bill paid invoices of orders as NFS-e: apply the rule file, complete the customers, write sheets."""
