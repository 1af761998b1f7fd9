"""What a session is told at each turn: everything at first, then what changed or became relevant, or nothing."""
