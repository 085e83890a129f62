"""What Ray and Spark share: crash-safe waves of files, stores and counts."""
