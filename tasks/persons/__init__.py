"""Requests of persons under the LGPD: what is held about them, erasing it, and terms that end."""
