"""What a session is told at each turn: everything at first, then what changed or became relevant, nothing where nothing did."""
