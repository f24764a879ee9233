"""The adb daemon's side of the adb protocol, over TCP."""
