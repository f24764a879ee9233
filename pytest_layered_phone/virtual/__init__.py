"""A phone in a process: it draws real screens and speaks the adb daemon protocol. Imports nothing of the rest of the package."""
