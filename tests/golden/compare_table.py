# SPDX-License-Identifier: Apache-2.0
"""The metrics of docs/tools.md (belay compare) as plain numpy in double precision: a second, simple implementation."""
import numpy as np

EPS = 2.22e-16
COLUMNS = ["cosine", "max_absolute", "accumulated_relative", "relative_euclidean", "kullback_leibler", "mean_absolute",
           "root_mean_square", "max_relative", "mean_relative"]  # fmt: skip


def normalised(v):
    span = v.max() - v.min()
    if not np.isfinite(span) or span == 0:
        return None
    scaled = (v - v.min()) / span
    return scaled / scaled.sum()


def divergence(x, y):
    p, q = normalised(x), normalised(y)
    if p is None or q is None:
        return np.nan
    some = p > 0
    if np.any(q[some] == 0):
        return np.inf
    result = np.sum(p[some] * np.log(p[some] / q[some]))
    return 0.0 if abs(result) < EPS else result


def cosine(x, y):
    if x.size == 1:
        return 1.0
    norm_x, norm_y = np.linalg.norm(x), np.linalg.norm(y)
    if norm_x == 0 or norm_y == 0:
        return 1.0 if norm_x == norm_y else np.nan
    return np.minimum(np.sum((x / norm_x) * (y / norm_y)), 1.0)


def table(ours, truth):
    """All metrics of two arrays with at least one element, by name."""
    x, y = ours.astype(np.float64).ravel(), truth.astype(np.float64).ravel()
    with np.errstate(all="ignore"):
        counted = np.abs(y) > EPS
        relative = np.where(counted, np.abs(x / np.where(counted, y, 1) - 1), 0)
        away = np.abs(x - y)
        norm_y = np.linalg.norm(y)
        found = {
            "cosine": cosine(x, y),
            "max_absolute": away.max(),
            "accumulated_relative": relative.sum(),
            "relative_euclidean": 0.0 if norm_y <= EPS else np.sqrt(np.sum(away**2) / np.sum(y**2)),
            "kullback_leibler": divergence(x, y),
            "mean_absolute": away.mean(),
            "root_mean_square": np.sqrt(np.mean(away**2)),
            "max_relative": relative.max(),
            "mean_relative": relative.mean(),
            "deviation": [(v.mean(), v.std()) for v in (x, y)],
        }
    if ours.dtype == bool or truth.dtype == bool:
        for name in set(COLUMNS) - {"cosine", "relative_euclidean"}:
            found[name] = np.nan
    return found
