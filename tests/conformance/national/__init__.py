"""The third issuer, in the shape of the national NFS-e service: one signed post issues, our own key finds it."""
