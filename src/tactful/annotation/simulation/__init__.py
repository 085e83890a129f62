"""A crowd that exists only in numbers, so that a protocol can be tried before it is paid for."""
