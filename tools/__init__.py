"""Running notebooks and asking what stands in them; a browser; make repo."""
