"""Means of what is known."""

import math

import numpy as np

from tactful.audit.estimates.statistics import mean_known

NAN = math.nan


def test_means_of_what_is_known() -> None:
    table = np.array([[1.0, NAN], [3.0, NAN]])
    assert mean_known(table, axis=0).tolist()[0] == 2
    assert np.isnan(mean_known(table, axis=0)[1])
    assert float(mean_known(table)) == 2
