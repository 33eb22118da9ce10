"""The acceptance checks of speed; started by scripts/show-5."""
