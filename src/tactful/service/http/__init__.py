"""From a request to a route: limits, keys, addresses, bodies and errors."""
