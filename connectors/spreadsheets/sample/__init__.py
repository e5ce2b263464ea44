"""Write a realistic month of a finance team, for trials. The same month gives the same bytes."""

from connectors.spreadsheets.sample.month import write_sample_month
from connectors.spreadsheets.sample.sales import write_sample_sales

__all__ = ["write_sample_month", "write_sample_sales"]
