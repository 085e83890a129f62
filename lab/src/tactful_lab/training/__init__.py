"""Systems of the papers that need training; the rest is in :mod:`tactful.training`."""
