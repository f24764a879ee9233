"""A phone in a process: it draws real screens and speaks the adb daemon protocol. It imports nothing else of the package."""
