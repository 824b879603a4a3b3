"""The map: exact neighbor searches over sizes, columns and kinds of data."""
