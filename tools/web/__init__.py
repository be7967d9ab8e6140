"""A Chromium and a JupyterLab in it, for tests and bench."""
