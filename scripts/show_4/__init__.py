"""The acceptance checks of sync; started by scripts/show-4."""
