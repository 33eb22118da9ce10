"""The acceptance checks of the history and migrations; started by scripts/show-3."""
