# SPDX-License-Identifier: Apache-2.0
"""Where ranks run in tests: namespaces, users, rank tables. What the machine does not allow is said as a reason."""
import functools
import itertools
import json
import os
import subprocess
import time

SONAME = "libucp.so.0"
_numbers = itertools.count()


def works(*command):
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


@functools.lru_cache
def no_mounts():
    """Why mount namespaces cannot be had; empty when they can."""
    return "" if works("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt") else "unshare -m is not allowed here"


@functools.lru_cache
def no_networks():
    """Why two network namespaces cannot be joined; empty when they can."""
    if not works("ip", "-V"):
        return "ip (iproute2) is not installed"
    with Networks("probe") as networks:
        return networks.problem


def in_mounts(setup, command):
    """The command after some shell commands in a mount namespace of its own."""
    return ["unshare", "-m", "sh", "-c", setup + '; exec "$@"', "sh", *command]


def as_nobody(command):
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]


def library(name):
    """Where the dynamic linker finds a library: the file itself."""
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    paths = [line.split("=>")[1].strip() for line in listing.splitlines() if line.strip().startswith(name)]
    return os.path.realpath(paths[0]) if paths else None


class Networks:
    """Two network namespaces joined by a veth pair: 198.51.100.1 and .2. `joined` false: nothing joins them."""

    def __init__(self, name, joined=True):
        mine = f"{os.getpid() % 100000}{next(_numbers)}"
        self.names = [f"belay-{name}-{mine}-{i}" for i in (0, 1)]
        self.cards = [f"bl{mine}{i}" for i in (0, 1)]
        self.joined, self.problem = joined, ""

    def run(self, *command):
        done = subprocess.run(["ip", *command], capture_output=True, text=True)
        if done.returncode and not self.problem:
            self.problem = f"ip {' '.join(command)}: {done.stderr.strip()}"
        return done.stdout

    def __enter__(self):
        for name in self.names:
            self.run("netns", "add", name)
            self.run("-n", name, "link", "set", "lo", "up")
        if self.joined:
            self.run("-n", self.names[0], "link", "add", self.cards[0], "type", "veth", "peer", "name", self.cards[1], "netns", self.names[1])
        for i, (name, card) in enumerate(zip(self.names, self.cards)):
            if not self.joined:
                self.run("-n", name, "link", "add", card, "type", "dummy")
            self.run("-n", name, "addr", "add", f"198.51.100.{i + 1}/24", "dev", card)
            self.run("-n", name, "link", "set", card, "up")
        for name, card in zip(self.names, self.cards):
            while not self.problem and "LOWER_UP" not in self.run("-n", name, "link", "show", card):
                time.sleep(0.01)
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def inside(self, which, command):
        return ["ip", "netns", "exec", self.names[which], *command]


def rank_table(ranks, **extra):
    devices = [{"device_id": str(rank), "device_ip": f"192.0.2.{rank + 1}", "rank_id": str(rank)} for rank in range(ranks)]
    return json.dumps({"status": "completed", "version": "1.0", "server_count": "1", **extra,
                       "server_list": [{"server_id": "node", "device": devices}]})
