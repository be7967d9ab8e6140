"""The small models that chapters 9 and 10 read from notebooks/course/trained."""
