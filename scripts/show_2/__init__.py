"""The acceptance checks of the second issue; started by scripts/show-1."""
