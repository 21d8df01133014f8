# SPDX-License-Identifier: Apache-2.0
"""The reader itself, on the documented example."""
import unittest

import numpy as np
import read_dump

ADD = bytes.fromhex(
    "41000000000000000a03322e3010c0c480c1c1c482031a130801100 21a030a0102300 83a030a0102488020221308011002"
    "1a030a0102280832030a01024080403207 6e65742f616464 0000803f00000040 0000404000008040".replace(" ", "")
)


class Reader(unittest.TestCase):
    def test_reads_the_documented_example(self):
        dump = read_dump.parse(ADD)
        self.assertEqual(len(ADD), 89)
        self.assertEqual((dump.version, dump.dump_time, dump.op_name), ("2.0", 1700000000123456, "net/add"))
        self.assertEqual(dump.header_length, 65)
        self.assertEqual((dump.inputs[0].address, dump.outputs[0].address), (0x2000, 0x1000))
        np.testing.assert_array_equal(dump.inputs[0].array(), np.float32([1, 2]))
        np.testing.assert_array_equal(dump.outputs[0].array(), np.float32([3, 4]))

    def test_refuses_files_that_are_not_whole(self):
        for bad in (b"", ADD[:-1], ADD + b"x", ADD[:40]):
            with self.assertRaises(read_dump.DumpError):
                read_dump.parse(bad)


if __name__ == "__main__":
    unittest.main()
