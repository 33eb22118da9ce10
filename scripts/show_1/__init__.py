"""The acceptance checks of the first issue; started by scripts/show-1."""
