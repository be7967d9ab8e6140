"""The web book."""
