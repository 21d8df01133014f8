# SPDX-License-Identifier: Apache-2.0
"""What ort.js does, with Python's onnxruntime, for machines without node.

usage: ort.py MODEL THREADS WARMUP SECONDS NAME:TYPE:DIMS FILE [OUTPUT_FILE]
"""
import json
import statistics
import sys
import time

import numpy as np
import onnxruntime as ort


def main():
    model, threads, warmup, seconds, text, file, *output = sys.argv[1:]
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = int(threads), 1
    options.log_severity_level = 3
    begin = time.perf_counter()
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    load = (time.perf_counter() - begin) * 1e3
    name, kind, dims = text.split(":")
    feeds = {name: np.fromfile(file, kind).reshape([int(dim) for dim in dims.split(",")])}
    for _ in range(int(warmup)):
        session.run(None, feeds)
    times, first = [], time.perf_counter()
    while not times or time.perf_counter() - first < float(seconds):
        start = time.perf_counter()
        results = session.run(None, feeds)
        times.append((time.perf_counter() - start) * 1e3)
    if output:
        results[0].tofile(output[0])
    print(json.dumps({"load_ms": load, "median_ms": statistics.median(times)}))


main()
