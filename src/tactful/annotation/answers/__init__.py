"""What people answer: checked against the questions of a step."""
