# SPDX-License-Identifier: Apache-2.0
"""All kinds of graph, each a function of the seed."""
import control
import data
import floats
import halves
import integers
import quantized
import shapes

KINDS = {**floats.KINDS, **halves.KINDS, **shapes.KINDS, **control.KINDS, **data.KINDS, **integers.KINDS, **quantized.KINDS}
FOR_NUMPY = [*control.KINDS, *shapes.KINDS, *data.KINDS, *integers.KINDS, *quantized.KINDS]  # what the interpreter can follow


def kind_of(seed, wanted=None):
    """The kinds take turns; networks of floats come three times as often."""
    order = wanted or [*KINDS, "float", "float"]
    return order[seed % len(order)]
