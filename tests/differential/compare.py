# SPDX-License-Identifier: Apache-2.0
"""Whether outputs are equal."""
import numpy as np

RELATIVE, OF_LARGEST = 2e-3, 3e-4  # tolerances of floats: sums are added in another order
LEAST = 1e-4  # rounding of a mean of equals (4 ulp of 8), divided by the deviation of nothing (sqrt of 1e-3)


def tolerance(wanted, largest, plain, unit):
    """Absolute. In a half type: rounding to the other side at any node gives another result that is as good. How far that can
    reach the oracle shows itself: `plain` is the same graph never rounded. Both lie about so far from it, so twice that far from
    each other; twice more, since the furthest element of one sample is not the furthest of all; and one rounding of the result."""
    if plain is None:
        return max(OF_LARGEST * largest, LEAST)
    known = np.isfinite(wanted) & np.isfinite(plain)
    return 4 * np.max(np.abs(wanted - plain), initial=0, where=known) + unit * largest


def difference(found, wanted, exact, plain=None, unit=None):
    """A sentence, or nothing when they agree."""
    if found.shape != wanted.shape:
        return f"is of shape {found.shape}, not {wanted.shape}"
    if plain is not None and wanted.dtype.kind == "f":  # the oracle has it in float
        found = found.astype(np.float32)
    if found.dtype != wanted.dtype:
        return f"is of type {found.dtype}, not {wanted.dtype}"
    if exact or wanted.dtype.kind != "f":
        same = (found == wanted) | ((found != found) & (wanted != wanted))
        if same.all():
            return ""
        place = tuple(np.argwhere(~same)[0])
        return f"differs in {np.sum(~same)} of {same.size}; at {list(map(int, place))} {found[place]}, not {wanted[place]}"
    largest = np.max(np.abs(wanted), initial=0, where=np.isfinite(wanted))
    allowed = tolerance(wanted, largest, plain, unit)
    if np.allclose(found, wanted, 0 if plain is not None else RELATIVE, allowed, equal_nan=True):
        return ""
    with np.errstate(all="ignore"):
        return f"differs by {np.nanmax(np.abs(found - wanted))}, {allowed:.3g} is allowed; its largest is {largest}"
