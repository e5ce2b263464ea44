"""Import the rows of dropped sheets, query families of rows of one charge, and store the secret of row tags."""
