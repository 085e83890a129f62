"""What all pretrained models need to be opened: a quiet library."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr


@contextmanager
def quiet() -> Iterator[None]:
    """Keep bars and news of the library from the user's screen."""
    from transformers import logging

    loud = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        # The bar of unpacking a gguf file has no switch.
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.set_verbosity(loud)
        logging.enable_progress_bar()
