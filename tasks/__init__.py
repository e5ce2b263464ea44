"""The stations and what surrounds them: plain functions without Prefect."""
