"""The multilingual Universal Sentence Encoder: unpacked, trained further and exported."""
