"""Pictures and formulas, drawn in advance: for decks, book and README."""
