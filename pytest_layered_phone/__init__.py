"""Tests Android apps in plain language: a model plans, a model acts, the harness verifies."""
