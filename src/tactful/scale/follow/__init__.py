"""Following a file or a stream that grows."""
