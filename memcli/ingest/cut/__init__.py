"""Cutting a text into chunks where its own structure is."""
