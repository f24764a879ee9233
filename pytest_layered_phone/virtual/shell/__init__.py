"""The phone's shell: a small `sh` and the commands that a phone of Android 14 answers."""
