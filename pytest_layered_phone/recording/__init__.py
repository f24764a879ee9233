"""Cassettes: what the models and the phone said in one test is recorded, and played with and without a phone."""
