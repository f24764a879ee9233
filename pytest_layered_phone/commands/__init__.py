"""The commands of the console script `layered-phone`."""
