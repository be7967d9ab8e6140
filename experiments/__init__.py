"""The small models that chapter 9 reads from notebooks/trained."""
