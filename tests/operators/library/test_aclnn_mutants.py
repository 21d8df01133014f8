# SPDX-License-Identifier: Apache-2.0
"""Calls that almost fit (mutants.py): each is computed or refused with a sentence, and touches nothing but its tensors.

The same with another seed and more calls: test_aclnn_mutants.py --child SEED CALLS, without CALLS those of other types; the last line is what was
called last.
"""
import os
import random
import subprocess
import sys
import unittest

from mutants import Block, Mutant, of_other_types, record

REFUSALS = {0, 161001, 161002, 361001, 507015, 500002}


def faults(block, mutant):
    """What was wrong with how the library took a call; None when nothing was."""
    code, message, before, after = block.run(mutant, 0xA5)
    other_code, _, other_before, other_after = block.run(mutant, 0x3C)
    if code not in REFUSALS or (code != 0 and not message):
        return f"the code was {code}, the message {message!r}"
    if code != other_code:
        return f"the codes were {code} and {other_code}: bytes outside of the tensors decide"
    if ((before != after) & ~mutant.taken).any() or ((other_before != other_after) & ~mutant.taken).any():
        return "bytes outside of the tensors were written"
    if ((after != other_after) & mutant.taken).any():
        return "bytes outside of the tensors decide about the result"
    if code in (161001, 161002) and (before != after).any():
        return "a refused call wrote"
    return None


def child(seed, count):
    """A line for each call before it is made, and one with a ! for each fault. Without a count: calls of other types."""
    import aclnn_cases

    cases, block = record(1), Block(aclnn_cases.stream)
    at_random = (Mutant(random.Random(seed * 1000003 + i), *cases[i % len(cases)]) for i in range(count))
    for i, mutant in enumerate(at_random if count else of_other_types(cases)):
        if block.place(mutant) is None:
            continue
        print(f"{i} {mutant.describe()}", flush=True)
        fault = faults(block, mutant)
        if fault:
            print(f"! {fault}: {mutant.describe()}", flush=True)
    print(f"functions {len({name for name, *_ in cases})}")


class Mutants(unittest.TestCase):
    def faultless(self, seed, count):
        """The number of calls that were made."""
        done = subprocess.run([sys.executable, "-B", __file__, "--child", seed, count], stdout=subprocess.PIPE, text=True, check=False, env={**os.environ})
        said = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0, said[-1:])
        self.assertEqual([line for line in said if line.startswith("!")], [])
        self.assertGreater(int(said[-1].split()[-1]), 700)
        return len(said) - 1

    def test_none_crashes_or_leaves_its_tensors(self):
        self.assertGreater(self.faultless("3", "4000"), 3600)

    def test_no_tensor_of_another_type_is_taken_for_what_it_is_not(self):
        self.assertGreater(self.faultless("0", "0"), 7000)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(int(sys.argv[2]), int(sys.argv[3]))
    else:
        unittest.main()
