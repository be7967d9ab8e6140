"""What pictures are told to draw, against other formulas.

A test gets the chapter and finds a picture by the id of its cell. That matplotlib draws
what it is told, matplotlib tests.
"""
