# SPDX-License-Identifier: Apache-2.0
"""Every function of the table: there, with its number of arguments, their types, and the shape of its results."""
import inspect
import pathlib
import subprocess
import sys

import pytest

import acl

ROOT = pathlib.Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(ROOT))
import table  # noqa: E402

FUNCTIONS = list(table.functions())
SPACES = sorted({row["namespace"] for row in FUNCTIONS})
RIGHT = {"int": 0, "float": 0.0, "str": "", "bytes": b"", "list[int]": [], "list[float]": [], "list[str]": [],
         "list[list[int]]": [], "list[dict]": [], "list": [], "dict": {}, "callable": lambda *given: 0, "object": None,
         "tuple": (1,), "int|str": 0}


def module(namespace):
    return acl if namespace == "acl" else getattr(acl, namespace.split(".")[1])


def function(row):
    return getattr(module(row["namespace"]), row["name"])


def right_arguments(row):
    """Arguments of the right types, all zero or empty; None when a function needs more than that."""
    values = [RIGHT.get(kind) for _, kind, _ in row["parameters"] or []]
    if any(kind == "ndarray" for _, kind, _ in row["parameters"] or []) or row["name"] == "ptr_to_numpy":
        return None
    if row["name"] == "set_input_dynamic_dims":
        values[3] = {"name": "", "dimCount": 0, "dims": []}
    return values


def label(row):
    return f"{row['namespace']}.{row['name']}"


@pytest.mark.parametrize("namespace", SPACES)
def test_dir_lists_the_functions_of_the_table_and_nothing_else(namespace):
    there = {name for name in dir(module(namespace)) if not name.startswith("_")}
    wanted = {row["name"] for row in FUNCTIONS if row["namespace"] == namespace}
    if namespace == "acl":
        wanted |= {space.split(".")[1] for space in SPACES if space != "acl"}
    assert there == wanted


def test_namespaces_are_modules():
    for namespace in SPACES:
        assert type(module(namespace)) is type(sys)
        assert module(namespace).__name__ == namespace
    with pytest.raises(AttributeError, match="module 'acl.util' has no attribute 'vector_to_ptr'"):
        acl.util.vector_to_ptr


def test_no_constants():
    for namespace in SPACES:
        for name in dir(module(namespace)):
            assert name.startswith("__") or callable(getattr(module(namespace), name)) or name in dir(acl)


@pytest.mark.parametrize("row", [row for row in FUNCTIONS if row["parameters"]], ids=label)
def test_another_number_of_arguments_is_a_type_error_that_names_the_function(row):
    arguments = right_arguments(row) or [None] * len(row["parameters"])
    required = sum(not optional or kind == "list" for _, kind, optional in row["parameters"])
    others = [len(arguments) + 3] + ([required - 1] if required else [])
    for count in others:
        with pytest.raises(TypeError) as error:
            function(row)(*(arguments * 3 + [0] * 9)[:count])
        assert f"{label(row)} args parse failed" in str(error.value)
        assert f"({count} given)" in str(error.value)


class Nothing:
    """An object of no type that any parameter has."""


@pytest.mark.parametrize("row", [row for row in FUNCTIONS if row["parameters"] and right_arguments(row)], ids=label)
def test_a_wrong_type_is_a_type_error_that_names_the_function(row):
    for position, (_, kind, optional) in enumerate(row["parameters"]):
        if kind == "object":
            continue
        wrongs = [Nothing()] + ([None] if not optional else []) + ([1.5] if kind == "int" else [])
        wrongs += [(1, 2)] if kind.startswith("list") else []
        for wrong in wrongs:
            arguments = right_arguments(row)
            arguments[position] = wrong
            with pytest.raises(TypeError) as error:
                function(row)(*arguments)
            assert f"{label(row)} args parse failed" in str(error.value)


def test_every_function_has_a_signature_and_says_what_it_returns():
    for row in FUNCTIONS:
        signature = inspect.signature(function(row))
        names = [name for name, _, _ in row["parameters"]] if row["parameters"] is not None else ["arguments"]
        assert list(signature.parameters) == names
        assert function(row).__doc__ == table.summary(row)


def test_keywords_are_not_accepted():
    with pytest.raises(TypeError, match="keyword"):
        acl.rt.set_device(device_id=0)


def test_functions_without_parameters_ignore_what_they_are_given():
    assert acl.rt.synchronize_device(0) == 0
    assert acl.rt.get_run_mode("x", None) == (1, 0)


# Every function once, with zeros, in the order of the table: none may crash or wait, each has its shape.
ALL = """
import sys
import test_table as t
import acl
assert acl.init() == 0 and acl.rt.set_device(0) == 0
KINDS = {"int": int, "float": float, "str": str, "dict": dict, "bytes": bytes, "object": object, "list[int]": list,
         "list[dict]": list, "ndarray": object, "str|None": (str, type(None))}
last = ("finalize", "reset_device", "reset_device_force", "init")
rows = sorted(t.FUNCTIONS, key=lambda row: row["name"] in last)
for row in rows:
    if t.right_arguments(row) is None or row["name"] == "stop_thread":
        continue
    print(t.label(row), flush=True)
    try:
        result = t.function(row)(*t.right_arguments(row))
    except ValueError as error:
        assert "null address" in str(error), error
        continue
    wanted = row["results"]
    if not wanted:
        assert result is None, result
        continue
    values = result if len(wanted) > 1 else (result,)
    assert type(values) is tuple and len(values) == len(wanted), (result, wanted)
    failed = wanted[-1][0] == "ret" and values[-1] != 0
    for value, (name, kind) in zip(values, wanted):
        assert isinstance(value, KINDS[kind]) or (failed and value is None), (name, value)
print("all called")
"""


def test_every_function_can_be_called_with_zeros_and_keeps_its_shape(run):
    done = run(ALL)
    assert done.returncode == 0 and done.stdout.endswith("all called\n"), (done.stdout[-200:], done.stderr[-3000:])


def test_media_functions_refuse_and_say_so():
    assert acl.media.dvpp_create_channel(0) == 207000
    assert "acl.media.dvpp_create_channel is not supported" in acl.get_recent_err_msg()
    assert acl.media.dvpp_create_pic_desc() == 0
    assert acl.himpi.sys_init() == 207000
    assert "acl.himpi.sys_init" in acl.get_recent_err_msg()
    assert acl.get_recent_err_msg() is None


def test_refusals_of_the_library_carry_its_code_and_name():
    assert acl.rt.binary_load_from_file("/nowhere", []) == (0, 207000)
    assert "aclrtBinaryLoadFromFile" in acl.get_recent_err_msg()


def test_the_stubs_are_up_to_date():
    subprocess.run([sys.executable, str(ROOT / "table.py"), "--check"], check=True)
