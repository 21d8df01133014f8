# SPDX-License-Identifier: Apache-2.0
"""DFT with its axis as an input (20); windows, which did not change."""
import numpy as np

from case import case, f32, i64


def pairs(z):
    return np.stack([z.real, z.imag], -1).astype(np.float32)


def cases_dft():
    x = f32(2, 5, 6, 1)
    for axis in (1, 2, -2, -3):
        real = np.fft.fft(x[..., 0], axis=axis if axis > 0 else axis + 1)
        case(f"DFT_20_axis_{axis}", "DFT", [x, None, np.int64(axis)], [pairs(real)], 20, constants=(2,), rtol=1e-4, atol=1e-4)
    case("DFT_20_default", "DFT", [x], [pairs(np.fft.fft(x[..., 0], axis=-1))], 20, rtol=1e-4, atol=1e-4)
    case("DFT_20_onesided", "DFT", [x, None, np.int64(1)], [pairs(np.fft.rfft(x[..., 0], axis=1))], 20, constants=(2,), rtol=1e-4, atol=1e-4, onesided=1)
    for length in (4, 8):
        case(f"DFT_20_length_{length}", "DFT", [x, np.int64(length), np.int64(2)], [pairs(np.fft.fft(x[..., 0], length, axis=2))], 20,
             constants=(1, 2), rtol=1e-4, atol=1e-4)
    z = f32(2, 5, 6, 2)
    case("DFT_20_inverse", "DFT", [z, None, np.int64(1)], [pairs(np.fft.ifft(z[..., 0] + 1j * z[..., 1], axis=1))], 20, constants=(2,), rtol=1e-4,
         atol=1e-4, inverse=1)


def cases_windows():
    for name, of in (("HannWindow", (0.5, 0.5, 0)), ("HammingWindow", (25 / 46, 21 / 46, 0)), ("BlackmanWindow", (0.42, 0.5, 0.08))):
        for periodic in (0, 1):
            n = np.arange(10) * 2 * np.pi / (10 if periodic else 9)
            want = of[0] - of[1] * np.cos(n) + of[2] * np.cos(2 * n)
            case(f"{name}_{periodic}", name, [np.int64(10)], [want.astype(np.float32)], 20, constants=(0,), atol=1e-5, periodic=periodic)
