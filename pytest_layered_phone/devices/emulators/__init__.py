"""Emulators that a session starts for itself, and ends."""
