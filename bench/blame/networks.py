# SPDX-License-Identifier: Apache-2.0
"""belay blame of ResNet-50 and BERT against one inference of the same network, in turns. Usage: networks.py ATC BELAY"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ATC, BELAY = map(os.path.abspath, sys.argv[1:3])
NETWORKS = pathlib.Path(__file__).resolve().parents[1] / "models" / "networks.py"
ROUNDS = 3


def inference(model, *more):
    """Milliseconds of one, the best of five."""
    text = subprocess.run([BELAY, "run", model, "--repeat", "5", *more], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"least ([\d.]+) ms", text).group(1))


def blame(model, dump):
    """Milliseconds, and the most memory in MiB."""
    start = time.perf_counter()
    process = subprocess.Popen([BELAY, "blame", dump, "--model", model], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"belay blame {dump} --model {model} ended with {os.waitstatus_to_exitcode(status)}")
    return 1000 * (time.perf_counter() - start), usage.ru_maxrss / 1024


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name in "resnet50", "bert":
            subprocess.run(["/usr/bin/python3", str(NETWORKS), ".", name], check=True)
            subprocess.run([ATC, f"--model={name}.onnx", "--framework=5", f"--output={name}", "--soc_version=Ascend910B3"], check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip
            os.mkdir("d_" + name)
            config = {"dump": {"dump_path": "d_" + name, "dump_list": [{}], "dump_mode": "all"}}
            pathlib.Path("acl.json").write_text(json.dumps(config))
            subprocess.run([BELAY, "run", f"{name}.om", "--dump", "acl.json"], check=True, stdout=subprocess.DEVNULL)
            alone, blamed = [], []
            for _ in range(ROUNDS):
                alone.append(inference(f"{name}.om"))
                blamed.append(blame(f"{name}.om", "d_" + name))
            ratio = statistics.median(took / one for (took, _), one in zip(blamed, alone))
            print(f"{name}: blame / one inference {ratio:.1f}  (<= 40); {min(each[0] for each in blamed):.0f} ms against "
                  f"{min(alone):.0f} ms, {max(each[1] for each in blamed):.0f} MiB")  # fmt: skip


if __name__ == "__main__":
    main()
