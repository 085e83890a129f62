"""The engine: detectors in threads of their own, behind a bounded queue."""
