"""Runs notebooks and reads them; finds a browser; renames the repository."""
