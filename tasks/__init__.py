"""The stations: plain functions without Prefect; `faces` alone holds the @task wrappers."""
