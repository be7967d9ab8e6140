"""The sliders and the table of codes beside their rivals."""
