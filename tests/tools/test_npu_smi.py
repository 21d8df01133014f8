# SPDX-License-Identifier: Apache-2.0
"""npu-smi, parsed as build scripts parse the vendor's. Usage: test_npu_smi.py NPU_SMI [TEST...]"""
import os
import subprocess
import sys
import unittest

NPU_SMI = sys.argv.pop(1)


def smi(*arguments, soc="Ascend910B3", devices="2", code=0):
    environment = {**os.environ, "BELAY_SOC_NAME": soc, "BELAY_DEVICES": devices, "BELAY_DEVICE_MEMORY": "2G"}
    done = subprocess.run([NPU_SMI, *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


class NpuSmi(unittest.TestCase):
    def test_the_third_word_of_line_7_is_the_chip(self):
        for soc, name in (("Ascend910B3", "910B3"), ("Ascend310P3", "310P3"), ("Ascend910_9391", "910_9391")):
            script = f"'{NPU_SMI}' info | awk -F' ' 'NF > 0 && NR==7 {{print $3}}'"
            done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env={**os.environ, "BELAY_SOC_NAME": soc})
            self.assertEqual(done.stdout, name + "\n")

    def test_the_table_is_straight_and_says_that_it_is_simulated(self):
        lines = smi("info").splitlines()
        self.assertEqual({len(line) for line in lines}, {98})
        self.assertIn("simulated by Belay", lines[1])
        rows = [line.split() for line in lines if " OK " in line]
        self.assertEqual([row[1:3] for row in rows], [["0", "910B3"], ["1", "910B3"]])
        self.assertIn("/ 2048", lines[7])
        self.assertEqual(sum("0000:" in line for line in smi("info", devices="5").splitlines()), 5)

    def test_lists(self):
        fields = [line.split(":")[1].strip() for line in smi("info", "-l").splitlines() if "NPU ID" in line]
        self.assertEqual(fields, ["0", "1"])
        self.assertIn("Total Count", smi("info", "-l").splitlines()[0])
        chips = [line.split() for line in smi("info", "-m").splitlines()[1:]]
        self.assertEqual(chips, [["0", "0", "0", "Ascend", "910B3"], ["1", "0", "1", "Ascend", "910B3"]])

    def test_one_device(self):
        board = dict(map(str.strip, line.split(":")) for line in smi("info", "-t", "board", "-i", "1", "-c", "0").splitlines())
        self.assertEqual((board["NPU ID"], (board["Chip Type"] + board["Chip Name"]).lower()), ("1", "ascend910b3"))
        memory = dict(map(str.strip, line.split(":")) for line in smi("info", "-t", "memory", "-i", "0").splitlines())
        self.assertEqual(memory["HBM Capacity(MB)"], "2048")

    def test_refusals(self):
        self.assertIn("info -t ecc is not simulated; board and memory are", smi("info", "-t", "ecc", code=1))
        self.assertIn("-i 2: there are 2, counted from 0", smi("info", "-t", "board", "-i", "2", code=1))
        self.assertIn("set is not simulated; info is", smi("set", code=1))
        self.assertIn("info has no option -q here", smi("info", "-q", code=1))
        self.assertIn("a value is missing after -t", smi("info", "-t", code=1))


if __name__ == "__main__":
    unittest.main()
