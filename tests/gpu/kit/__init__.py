"""What all points share: running programs, reading traces, looking at them, the table."""
