"""The drawings of the page, made without a drawing library; each is one SVG."""
