"""Documents: files and texts as blocks, sentences and offsets."""
