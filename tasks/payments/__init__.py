"""Paid invoices of orders that become NFS-e: judged by the rule file, completed, written into sheets."""
