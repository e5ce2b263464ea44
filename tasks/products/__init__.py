"""The product legs of the stations: kinds that the provider issues at once, without staging."""
