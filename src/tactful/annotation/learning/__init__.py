"""Models in the loop: suggestions, the order of items, a learning curve, and training data."""
