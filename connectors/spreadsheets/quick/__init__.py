"""Rows of services that hold nothing but usual cells, typed at once; every other row is left to the careful reader."""
