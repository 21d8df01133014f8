# SPDX-License-Identifier: Apache-2.0
"""Saturation and INF/NaN mode on streams: what is clipped, the device's flag, the stream's switch. Oracle: arithmetic."""
import ctypes as c
import unittest

import numpy as np

from driver import Refused, aclnn, aclop, call, start

SATURATION, INF_NAN = 0, 1
default = start()
most = np.finfo(np.float32).max


def new_stream():
    made = c.c_void_p()
    call("aclrtCreateStream", c.byref(made))
    return made


def flag(stream):
    """The device's overflow flag."""
    status = (c.c_uint32 * 16)()
    call("aclrtGetOverflowStatus", status, c.c_size_t(64), stream)
    call("aclrtSynchronizeStream", stream)
    assert list(status[1:]) == [0] * 15
    return status[0]


def add(stream, a, b, how=aclnn):
    out = np.zeros(len(a), np.float32)
    a, b = np.float32(a), np.float32(b)
    if how is aclop:
        aclop(stream, "Add", [a, b], [out])
    else:
        aclnn(stream, "aclnnAdd", a, b, 1, out)
    return out.tolist()


class Modes(unittest.TestCase):
    def setUp(self):
        self.addCleanup(call, "aclrtSetDeviceSatMode", INF_NAN)
        self.addCleanup(lambda: (call("aclrtResetOverflowStatus", default), flag(default)))

    def stream_of(self, mode):
        call("aclrtSetDeviceSatMode", mode)
        made = new_stream()
        self.addCleanup(call, "aclrtDestroyStream", made)
        return made

    def test_a_stream_keeps_the_mode_that_the_device_had_when_it_was_made(self):
        clipping, plain = self.stream_of(SATURATION), self.stream_of(INF_NAN)
        call("aclrtSetDeviceSatMode", SATURATION)
        for how in (aclnn, aclop):
            self.assertEqual(add(plain, [3e38, 1], [3e38, 2], how), [np.inf, 3])
            self.assertEqual(flag(plain), 0)
            self.assertEqual(add(clipping, [3e38, -3e38, 1], [3e38, -3e38, 2], how), [most, -most, 3])
            self.assertEqual(flag(plain), 1)  # it is the device's
            call("aclrtResetOverflowStatus", clipping)
            self.assertEqual(flag(clipping), 0)

    def test_nan_becomes_zero_and_half_precision_65504(self):
        clipping = self.stream_of(SATURATION)
        out = np.zeros(3, np.float16)
        aclnn(clipping, "aclnnDiv", np.float16([0, 1, -1]), np.float16([0, 0, 0]), out)
        self.assertEqual(out.tolist(), [0, 65504, -65504])
        aclnn(clipping, "aclnnCast", np.float32([1e6, -1e6, 7]), 1, out)
        self.assertEqual(out.tolist(), [65504, -65504, 7])

    def test_what_is_moved_is_not_clipped(self):
        clipping = self.stream_of(SATURATION)
        x = np.float32([[np.inf, 1], [np.nan, 2]])
        before, out = x.copy(), np.zeros((4,), np.float32)
        aclop(clipping, "Reshape", [x, np.int64([4])], [out])
        np.testing.assert_array_equal(x, before)

    def test_the_switch_is_told_once_by_synchronize_and_stops_nothing(self):
        stream = self.stream_of(INF_NAN)
        self.assertEqual(add(stream, [3e38], [3e38]), [np.inf])  # off
        call("aclrtSetStreamOverflowSwitch", stream, 1)
        self.assertEqual(add(stream, [1], [2]), [3])
        with self.assertRaises(Refused) as caught:
            add(stream, [3e38], [3e38])
        self.assertEqual(caught.exception.code, 207003)
        self.assertIn("did not fit its type", caught.exception.message)
        self.assertEqual(flag(stream), 1)
        self.assertEqual(add(stream, [1], [2]), [3])
        self.assertEqual(add(stream, [np.inf], [1]), [np.inf])  # given, not made: no overflow

    def test_the_switch_in_saturation_mode(self):
        stream = self.stream_of(SATURATION)
        call("aclrtSetStreamOverflowSwitch", stream, 1)
        with self.assertRaises(Refused) as caught:
            add(stream, [3e38], [3e38])
        self.assertEqual(caught.exception.code, 207003)

    def test_an_operator_that_writes_over_its_input_is_judged_by_what_it_read(self):
        stream = self.stream_of(INF_NAN)
        call("aclrtSetStreamOverflowSwitch", stream, 1)
        x = np.float32([3e38, 1])
        with self.assertRaises(Refused):
            aclnn(stream, "aclnnInplaceMuls", x, 10.0)


if __name__ == "__main__":
    unittest.main()
