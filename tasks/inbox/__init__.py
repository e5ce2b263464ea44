"""The folder that people drop workbooks into, and the one where they find what became of them."""
