"""What the pictures of each chapter show, against formulas of their own.

A test gets the chapter and finds a picture by the id of its cell. That matplotlib draws
what it is told, matplotlib tests.
"""
