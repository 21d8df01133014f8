#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes networks as files: DIR/<network>/model.onnx and input_0, as collect_node_cases.py does; and the same in half
precision as DIR/<network>_half/model.om. Where the size of the input only repeats the same work, it is a smaller one.

usage: collect_networks.py ATC NETWORKS.PY DIR
"""
import importlib.util
import pathlib
import subprocess
import sys

import numpy as np

FLOAT = 0  # its AscendCL number


def main():
    atc, source, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    spec = importlib.util.spec_from_file_location("networks", source)
    networks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(networks)
    cases = {"resnet50": (networks.resnet50, (1, 3, 224, 224)),
             "mobilenet": (networks.mobilenet, (1, 3, 224, 224)),
             "bert": (lambda path: networks.bert(path, layers=1), (1, 128, 768)),
             "lstm": (lambda path: networks.lstm(path, length=8), (8, 1, 128)),
             "unet": (lambda path: networks.unet(path, 128), (1, 3, 128, 128)),
             "ocr": (networks.ocr, (1, 1, 32, 104))}
    for name, (make, shape) in cases.items():
        x = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
        for folder in (directory / name, directory / f"{name}_half"):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "input_0").write_bytes(" ".join(map(str, (FLOAT, *shape))).encode() + b"\n" + x.tobytes())
        make(directory / name / "model.onnx")
        subprocess.run([atc, f"--model={directory / name}/model.onnx", "--framework=5", f"--output={folder}/model",
                        f"--input_shape=input:{','.join(map(str, shape))}", "--soc_version=Ascend910B3",
                        "--precision_mode=force_fp16"], check=True, cwd=directory)


if __name__ == "__main__":
    main()
