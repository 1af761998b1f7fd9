"""One file a harness: how it is told apart, what it takes, which of its files setup changes."""
