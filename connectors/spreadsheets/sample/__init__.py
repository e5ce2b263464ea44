"""Write a realistic month of a finance team, for trials. The same month gives the same bytes."""

from connectors.spreadsheets.sample.month import FAULTY_ROWS, write_sample_month
from connectors.spreadsheets.sample.sales import LINES, ORDERS, write_sample_sales

__all__ = ["FAULTY_ROWS", "LINES", "ORDERS", "write_sample_month", "write_sample_sales"]
