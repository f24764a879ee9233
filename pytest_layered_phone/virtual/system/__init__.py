"""What the phone shows besides apps: bars, keyboard, system dialogs, lock screen."""
