"""Running notebooks, drawing what they show for decks and book, make repo."""
