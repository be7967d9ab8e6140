"""Decks of the chapters."""
