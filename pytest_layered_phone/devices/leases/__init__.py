"""The parts of a lease: holders, locks, the line of those who wait. `devices.lease` puts them together."""
