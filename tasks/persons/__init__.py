"""Requests of persons under the LGPD: what is held about them, and erasing it."""
