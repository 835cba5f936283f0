"""From what an agent believes to what it does: pure functions of a decision."""
