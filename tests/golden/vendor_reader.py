# SPDX-License-Identifier: Apache-2.0
"""Reads dump files as the vendor's tools do: every byte of the file goes to libascend_dump_parser.so, the header comes back
as JSON, and the tensors are taken from behind it. Knows nothing of the header's own encoding."""
import ctypes
import json
import pathlib
import struct
import tempfile


class Parser:
    def __init__(self, library):
        self.call = ctypes.CDLL(library).ParseDumpProtoToJson
        self.call.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]
        self.call.restype = ctypes.c_int32

    def parse(self, data, length=None):
        """The code, and the text that was written; None where there is no file."""
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "header.json"
            code = self.call(data, len(data) if length is None else length, str(target).encode())
            return code, target.read_text() if target.exists() else None

    def read(self, path):
        """The header; inputs, outputs, buffers and workspaces have their bytes as "data"."""
        data = pathlib.Path(path).read_bytes()
        code, text = self.parse(data)
        if code != 0:
            raise ValueError(f"{path}: {code}")
        header = json.loads(text)
        at = 8 + struct.unpack_from("<Q", data)[0]
        for group in ("input", "output", "buffer", "space"):
            for entry in header[group]:
                size = int(entry["size"])
                entry["data"] = data[at : at + size]
                at += size
        if at != len(data):
            raise ValueError(f"{path}: the tensors end at {at}, the file at {len(data)}")
        return header
