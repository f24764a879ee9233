"""Readers of what phones and adb say: pure functions from text or bytes to facts, or to a named error."""
