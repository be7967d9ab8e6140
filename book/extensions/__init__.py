"""What the book adds to Sphinx: conf.py loads each of these."""
