"""memcli: what a repository remembers, for its people and their coding agents."""

__version__ = "0.1.0"
