"""The pilot: a stand-in for a model that follows plainly worded instructions by reading the screen.

It speaks the OpenAI chat interface on loopback and is reached over HTTP only. It is no vision model: what it cannot do it says.
"""
