"""The steps of the pipeline (stations) and what they share: plain functions without Prefect."""
