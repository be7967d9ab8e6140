"""Running notebooks and drawing what they show, for decks, book, tests and bench."""
