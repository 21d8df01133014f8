# SPDX-License-Identifier: Apache-2.0
"""Runs a program as a person does: on a terminal."""
import os
import pty
import subprocess


def on_terminal(command, **options):
    """What the program wrote to a terminal that is its stdout and its stderr, and how it ended."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, **options) as program:
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the last user of the other side is gone
                break
            if not piece:
                break
            text += piece
    os.close(ours)
    return text.decode().replace("\r\n", "\n"), program.returncode
