"""A bidirectional LSTM over word vectors."""
