"""The acceptance checks of the model layer; started by scripts/show-2."""
