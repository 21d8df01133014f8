# SPDX-License-Identifier: Apache-2.0
"""All kinds of graph, each a function of the seed."""
import control
import floats
import integers
import quantized
import shapes

KINDS = {**floats.KINDS, **shapes.KINDS, **control.KINDS, **integers.KINDS, **quantized.KINDS}
FOR_NUMPY = [*control.KINDS]  # what the interpreter can follow


def kind_of(seed, wanted=None):
    """The kinds take turns."""
    order = wanted or list(KINDS)
    return order[seed % len(order)]
