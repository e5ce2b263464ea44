"""Bill paid invoices of orders as NFS-e: apply the rule file, find the customers' data, write sheets."""
