"""Coding agents: their harnesses, the events they send, what their sessions are told, and how they are set up."""
