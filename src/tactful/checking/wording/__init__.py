"""The sentences of explanations and reports, one module a language."""
