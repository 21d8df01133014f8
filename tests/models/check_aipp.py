# SPDX-License-Identifier: Apache-2.0
"""Static AIPP through atc and a user's C program, against numpy.

usage: check_aipp.py ATC USER_PROGRAM DIRECTORY
"""
import pathlib
import subprocess
import sys
import unittest

import numpy as np

for alias in ("float", "int", "bool", "object"):  # names that onnx 1.12 still uses
    if not hasattr(np, alias):
        setattr(np, alias, getattr(__builtins__, alias))
import onnx  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

ATC, PROGRAM, WORK = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
RANDOM = np.random.default_rng(11)
YUV_TO_RGB = [[298, 0, 409], [298, -100, -208], [298, 516, 0]]
FIELDS = {  # format: channels, rows of the buffer for two of the image, bytes of a pixel
    "YUV420SP_U8": (3, 3, 1), "YUV422SP_U8": (3, 4, 1), "YUYV_U8": (3, 2, 2), "YUV400_U8": (1, 2, 1),
    "RGB888_U8": (3, 2, 3), "XRGB8888_U8": (4, 2, 4),
}


def channels(raw, form, h, w):
    """The image as [h, w, c] integers; chroma is repeated for the pixels that share it."""
    raw = raw.astype(np.int64)
    if form.startswith(("RGB", "XRGB", "YUV400")):
        return raw.reshape(h, w, -1)
    if form == "YUYV_U8":
        pairs = raw.reshape(h, w // 2, 4)
        y = pairs[..., [0, 2]].reshape(h, w)
        u, v = (np.repeat(pairs[..., k], 2, 1) for k in (1, 3))
    else:
        y, rest = raw[:h * w].reshape(h, w), raw[h * w:].reshape(-1, w // 2, 2)
        u, v = (np.repeat(np.repeat(rest[..., k], h // rest.shape[0], 0), 2, 1) for k in (0, 1))
    return np.stack([y, u, v], -1)


def preprocess(raw, c):
    """What runtime documentation says: crop, colours, mean and variance, padding."""
    h, w = c["src_image_size_h"], c["src_image_size_w"]
    image = channels(raw, c["input_format"], h, w)
    if c.get("crop"):
        top, left = c["load_start_pos_h"], c["load_start_pos_w"]
        image = image[top:top + c["crop_size_h"], left:left + c["crop_size_w"]]
    if c.get("rbuv_swap_switch"):
        image = image[..., [2, 1, 0] if c["input_format"].startswith("RGB") else [0, 2, 1]]
    if c.get("csc_switch"):
        matrix = np.array([[c.get(f"matrix_r{i}c{j}", 0) for j in range(3)] for i in range(3)])
        before, after = (np.array([c.get(f"{side}_bias_{i}", 0) for i in range(3)]) for side in ("input", "output"))
        image = np.clip(((image - before) @ matrix.T >> 8) + after, 0, 255)
    image = image[..., :c["model_channels"]].astype(np.float64)
    for i in range(image.shape[-1]):
        image[..., i] = (image[..., i] - c.get(f"mean_chn_{i}", 0) - c.get(f"min_chn_{i}", 0)) * c.get(f"var_reci_chn_{i}", 1)
    if c.get("padding"):
        sides = ((c["top_padding_size"], c["bottom_padding_size"]), (c["left_padding_size"], c["right_padding_size"]), (0, 0))
        image = np.pad(image, sides, constant_values=c.get("padding_value", 0))
    return image.transpose(2, 0, 1)


def save_model(path, shape):
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"], "neg")], "net",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))


def text_of(config):
    lines = [f"  {key}: {str(value).lower() if isinstance(value, bool) else value}" for key, value in config.items()
             if key != "model_channels"]
    return "# settings\naipp_op {\n  aipp_mode: static\n" + "\n".join(lines) + "\n}\n"


def convert(name, config, shape, *options):
    save_model(WORK / f"{name}.onnx", shape)
    (WORK / f"{name}.cfg").write_text(text_of(config))
    return subprocess.run([ATC, f"--model={WORK / name}.onnx", "--framework=5", f"--output={WORK / name}",
                           "--soc_version=Ascend910B3", f"--insert_op_conf={WORK / name}.cfg", *options],
                          capture_output=True, text=True, cwd=WORK)


class Aipp(unittest.TestCase):
    def setUp(self):
        WORK.mkdir(parents=True, exist_ok=True)

    def check(self, name, config, tolerance=1e-6, options=(), batch=2):
        config = {"src_image_size_h": 8, "src_image_size_w": 12, "model_channels": FIELDS[config["input_format"]][0], **config}
        h, w = config.get("crop_size_h", 8), config.get("crop_size_w", 12)
        if config.get("padding"):
            h += config["top_padding_size"] + config["bottom_padding_size"]
            w += config["left_padding_size"] + config["right_padding_size"]
        done = convert(name, config, [batch, config["model_channels"], h, w], *options)
        self.assertEqual(done.returncode, 0, done.stdout)
        _, rows, pixel = FIELDS[config["input_format"]]
        raw = RANDOM.integers(0, 256, (batch, 8 * rows // 2 * 12 * pixel)).astype(np.uint8)
        raw.tofile(WORK / "image.bin")
        run = subprocess.run([PROGRAM, str(WORK / f"{name}.om"), "static", str(WORK / "y.bin"), "--", str(WORK / "image.bin")],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        y = -np.fromfile(WORK / "y.bin", np.float32).reshape(batch, config["model_channels"], h, w)
        np.testing.assert_allclose(y, np.stack([preprocess(image, config) for image in raw]), rtol=tolerance, atol=tolerance)

    def test_every_format_as_it_is(self):
        for form in FIELDS:
            with self.subTest(form):
                self.check(form.lower(), {"input_format": form})

    def test_video_to_colours_with_everything(self):
        config = {"input_format": "YUV420SP_U8", "csc_switch": True, "crop": True, "load_start_pos_h": 2, "load_start_pos_w": 4,
                  "crop_size_h": 6, "crop_size_w": 6, "padding": True, "left_padding_size": 1, "right_padding_size": 2,
                  "top_padding_size": 3, "bottom_padding_size": 0, "padding_value": 7.5,
                  **{f"matrix_r{i}c{j}": YUV_TO_RGB[i][j] for i in range(3) for j in range(3)},
                  "input_bias_0": 16, "input_bias_1": 128, "input_bias_2": 128,
                  **{f"mean_chn_{i}": m for i, m in enumerate((104, 117, 123))}, "min_chn_1": 0.5,
                  **{f"var_reci_chn_{i}": v for i, v in enumerate((0.0171, 0.0175, 0.0174))}}
        self.check("all", config, 1e-5)
        self.check("all_swapped", {**config, "rbuv_swap_switch": True}, 1e-5)
        self.check("all_half", config, 2e-2, ["--precision_mode=force_fp16"])

    def test_colours_swapped_and_to_grey(self):
        self.check("swap", {"input_format": "RGB888_U8", "rbuv_swap_switch": True})
        self.check("grey", {"input_format": "RGB888_U8", "csc_switch": True, "matrix_r0c0": 76, "matrix_r0c1": 150,
                            "matrix_r0c2": 30, "model_channels": 1})

    def test_batch_gears(self):
        config = {"input_format": "RGB888_U8", "mean_chn_0": 10, "model_channels": 3, "src_image_size_h": 8, "src_image_size_w": 12}
        done = convert("gears", config, ["n", 3, 8, 12], "--input_shape=x:-1,3,8,12", "--dynamic_batch_size=1,3")
        self.assertEqual(done.returncode, 0, done.stdout)
        for batch in (3, 1):
            raw = RANDOM.integers(0, 256, (batch, 8 * 12 * 3)).astype(np.uint8)
            raw.tofile(WORK / "image.bin")
            run = subprocess.run([PROGRAM, str(WORK / "gears.om"), "batch", str(batch), str(WORK / "y.bin"), "--",
                                  str(WORK / "image.bin")], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            y = -np.fromfile(WORK / "y.bin", np.float32).reshape(batch, 3, 8, 12)
            np.testing.assert_array_equal(y, np.stack([preprocess(image, config) for image in raw]))
        done = convert("sizes", config, [1, 3, "h", "w"], "--input_shape=x:1,3,-1,-1", "--dynamic_image_size=8,12;4,4")
        self.assertEqual(done.returncode, 255)
        self.assertIn("AIPP (--insert_op_conf) goes with --dynamic_batch_size only", done.stdout)

    def test_what_is_not_supported_is_refused_by_name(self):
        for field, reason in (({"resize": True}, "resize is not supported"), ({"ax_swap_switch": True}, "ax_swap_switch is not"),
                              ({"input_format": "RAW10"}, "input_format RAW10"),
                              ({"input_format": "XRGB8888_U8"}, "gives 4 channels"),
                              ({"crop": True, "load_start_pos_h": 1, "crop_size_h": 4, "crop_size_w": 4}, "model needs 8 x 12"),
                              ({"csc_switch": True, "input_format": "YUV400_U8"}, "csc_switch needs an image of 3 channels")):
            config = {"input_format": "YUV420SP_U8", "src_image_size_h": 8, "src_image_size_w": 12, **field}
            done = convert("refused", config, [1, 3, 8, 12])
            self.assertEqual(done.returncode, 255, field)
            self.assertIn(reason, done.stdout)
        (WORK / "dynamic.cfg").write_text("aipp_op { aipp_mode: dynamic max_src_image_size: 1000 }")
        done = subprocess.run([ATC, f"--model={WORK}/refused.onnx", "--framework=5", "--output=o", "--soc_version=Ascend910B3",
                               f"--insert_op_conf={WORK}/dynamic.cfg"], capture_output=True, text=True, cwd=WORK)
        self.assertEqual(done.returncode, 255)
        self.assertIn("aipp_mode dynamic is not supported; use static", done.stdout)


if __name__ == "__main__":
    unittest.main()
