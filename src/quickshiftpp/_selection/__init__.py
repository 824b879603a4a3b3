"""Choosing k and beta: a vote among many clusterings, and a sweep that shows them all."""
