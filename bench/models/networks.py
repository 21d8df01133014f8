# SPDX-License-Identifier: Apache-2.0
"""Networks of real size with random weights, as ONNX files; each family in a file of its own.

usage: networks.py DIRECTORY [NAME...]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from families.convnext import convnext_tiny  # noqa: E402
from families.dense import densenet121, vgg16  # noqa: E402
from families.encoders import bert, vit_b16  # noqa: E402
from families.inception import inception_v3  # noqa: E402
from families.llama import llama  # noqa: E402
from families.mobile import efficientnet_b0, mobilenet, shufflenet, squeezenet  # noqa: E402
from families.recurrent import crnn, lstm, ocr  # noqa: E402
from families.residual import resnet50  # noqa: E402
from families.segmentation import unet  # noqa: E402
from families.swin import swin_tiny  # noqa: E402

NETWORKS = {"resnet50": resnet50, "mobilenet": mobilenet, "bert": bert, "ocr": ocr, "lstm": lstm, "unet": unet,
            "vgg16": vgg16, "densenet121": densenet121, "squeezenet": squeezenet, "shufflenet": shufflenet,
            "inception_v3": inception_v3, "efficientnet_b0": efficientnet_b0, "crnn": crnn, "convnext_tiny": convnext_tiny,
            "swin_tiny": swin_tiny, "vit_b16": vit_b16, "llama": llama}
IMAGE = (1, 3, 224, 224)
# The shape that the one input of each is run with.
SHAPES = {**dict.fromkeys(NETWORKS, IMAGE), "bert": (1, 128, 768), "ocr": (1, 1, 32, 320), "lstm": (64, 1, 128),
          "unet": (1, 3, 256, 256), "inception_v3": (1, 3, 299, 299), "crnn": (1, 1, 32, 100), "llama": (1, 64)}
TOKENS = {"llama": 32000}  # networks whose input are numbers of tokens, and how many there are

if __name__ == "__main__":
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NETWORKS:
        if not (directory / f"{name}.onnx").exists():
            NETWORKS[name](directory / f"{name}.onnx")
