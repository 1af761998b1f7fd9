"""Capture: what agents do, from the events of their harnesses to memories."""
