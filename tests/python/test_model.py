# SPDX-License-Identifier: Apache-2.0
"""Models, as programs run them; numpy is the oracle."""
import os
import subprocess

import numpy as np
import pytest

import acl
import models
from models import Buffers, Model, check


def run_dense(model, answer, seed):
    inputs, outputs = (Buffers(sizes) for sizes in model.sizes())
    x = np.random.default_rng(seed).standard_normal((2, 4)).astype(np.float32)
    inputs.write(0, x)
    check(acl.mdl.execute(model.id, inputs.dataset, outputs.dataset))
    assert np.allclose(outputs.read(0, (2, 3)), answer(x), atol=1e-6)
    inputs.close()
    outputs.close()


def test_inference_from_a_file(context, tmp_path):
    file, answer = models.dense(tmp_path / "dense.onnx")
    model = Model(file)
    for seed in range(3):
        run_dense(model, answer, seed)
    model.close()


def test_inference_from_memory(context, tmp_path):
    file, answer = models.dense(tmp_path / "dense.onnx")
    content = open(file, "rb").read()
    model = Model(file)
    check(acl.mdl.unload(model.id))
    model.id, ret = acl.mdl.load_from_mem(acl.util.bytes_to_ptr(content), len(content))
    check(ret)
    run_dense(model, answer, 1)
    model.close()


def test_loading_with_memory_accepts_the_forms_with_and_without_a_model_id(context, tmp_path):
    file, _ = models.dense(tmp_path / "dense.onnx")
    content = open(file, "rb").read()
    for load, first in ((acl.mdl.load_from_file_with_mem, [file]),
                        (acl.mdl.load_from_mem_with_mem, [acl.util.bytes_to_ptr(content), len(content)])):
        for extra in ([], [7]):
            model, ret = load(*first, *extra, 0, 0, 0, 0)
            check(ret)
            check(acl.mdl.unload(model))
        with pytest.raises(TypeError):
            load(*first, 0, 0)


def test_loading_with_a_configuration(context, tmp_path):
    file, answer = models.dense(tmp_path / "dense.onnx")
    handle = acl.mdl.create_config_handle()
    check(acl.mdl.set_config_opt(handle, 0, 3))  # ACL_MDL_PRIORITY_INT32
    check(acl.mdl.set_config_opt(handle, 1, 1))  # ACL_MDL_LOAD_TYPE_SIZET: from a file
    check(acl.mdl.set_config_opt(handle, 2, file))  # ACL_MDL_PATH_PTR
    model = Model(file)
    check(acl.mdl.unload(model.id))
    model.id, ret = acl.mdl.load_with_config(handle)
    check(ret)
    check(acl.mdl.destroy_config_handle(handle))
    run_dense(model, answer, 2)
    model.close()


def test_executing_with_a_configuration(stream, tmp_path):
    file, answer = models.dense(tmp_path / "dense.onnx")
    model = Model(file)
    inputs, outputs = (Buffers(sizes) for sizes in model.sizes())
    x = np.ones((2, 4), np.float32)
    inputs.write(0, x)
    handle = acl.mdl.create_exec_config_handle()
    check(acl.mdl.set_exec_config_opt(handle, 0, 10000))  # ACL_MDL_STREAM_SYNC_TIMEOUT
    check(acl.mdl.execute_v2(model.id, inputs.dataset, outputs.dataset, stream, handle))
    assert np.allclose(outputs.read(0, (2, 3)), answer(x), atol=1e-6)
    check(acl.mdl.destroy_exec_config_handle(handle))
    for each in (inputs, outputs, model):
        each.close()


def test_the_description_is_told_in_dicts_and_plain_values(context, tmp_path):
    file, _ = models.dense(tmp_path / "dense.onnx")
    model = Model(file)
    dims, ret = acl.mdl.get_input_dims(model.desc, 0)
    assert ret == 0 and dims == {"name": "x", "dimCount": 2, "dims": [2, 4]}
    dims, ret = acl.mdl.get_output_dims(model.desc, 0)
    assert ret == 0 and dims["dims"] == [2, 3] and dims["dimCount"] == 2
    assert acl.mdl.get_num_inputs(model.desc) == acl.mdl.get_num_outputs(model.desc) == 1
    assert acl.mdl.get_input_size_by_index(model.desc, 0) == 32
    assert acl.mdl.get_input_data_type(model.desc, 0) == 0
    assert acl.mdl.get_input_name_by_index(model.desc, 0) == "x"
    assert acl.mdl.get_input_index_by_name(model.desc, "x") == (0, 0)
    index, ret = acl.mdl.get_input_index_by_name(model.desc, "ascend_mbatch_shape_data")
    assert ret != 0
    assert acl.mdl.get_dynamic_batch(model.desc) == ({"batchCount": 0, "batch": []}, 0)
    assert acl.mdl.get_dynamic_hw(model.desc, -1) == ({"hwCount": 0, "hw": []}, 0)
    work, weight, ret = acl.mdl.query_size(file)
    assert ret == 0 and work >= 0 and weight >= 0
    model.close()


def test_gears_of_the_batch(context, tmp_path):
    random = np.random.default_rng(3)
    w = random.standard_normal((4, 3)).astype(np.float32)
    file = models.save(tmp_path / "batch.onnx", [models.helper.make_node("MatMul", ["x", "w"], ["y"], "matmul")],
                       {"x": ["n", 4]}, {"y": ["n", 3]}, {"w": w})
    subprocess.run([os.environ["ATC"], f"--model={file}", "--framework=5", f"--output={tmp_path}/batch",
                    "--soc_version=Ascend910B3", "--input_shape=x:-1,4", "--dynamic_batch_size=1,2,8"], check=True,
                   stdout=subprocess.DEVNULL, cwd=tmp_path)
    model = Model(f"{tmp_path}/batch.om")
    assert acl.mdl.get_dynamic_batch(model.desc) == ({"batchCount": 3, "batch": [1, 2, 8]}, 0)
    gear, ret = acl.mdl.get_input_index_by_name(model.desc, "ascend_mbatch_shape_data")
    check(ret)
    inputs, outputs = (Buffers(sizes) for sizes in model.sizes())
    for batch in (1, 2, 8):
        x = random.standard_normal((batch, 4)).astype(np.float32)
        inputs.write(0, x)
        check(acl.mdl.set_dynamic_batch_size(model.id, inputs.dataset, gear, batch))
        check(acl.mdl.execute(model.id, inputs.dataset, outputs.dataset))
        dims, ret = acl.mdl.get_cur_output_dims(model.desc, 0)
        assert ret == 0 and dims["dims"] == [batch, 3]
        assert np.allclose(outputs.read(0, dims["dims"]), x @ w, atol=1e-6)
    assert acl.mdl.set_dynamic_batch_size(model.id, inputs.dataset, gear, 5) != 0
    for each in (inputs, outputs, model):
        each.close()


def test_gears_of_any_dims(context, tmp_path):
    file = models.save(tmp_path / "dims.onnx", [models.helper.make_node("Relu", ["x"], ["y"], "relu")],
                       {"x": ["n", "m"]}, {"y": ["n", "m"]})
    subprocess.run([os.environ["ATC"], f"--model={file}", "--framework=5", f"--output={tmp_path}/dims",
                    "--soc_version=Ascend910B3", "--input_shape=x:-1,-1", "--input_format=ND", "--dynamic_dims=1,4;2,8"],
                   check=True, stdout=subprocess.DEVNULL, cwd=tmp_path)
    model = Model(f"{tmp_path}/dims.om")
    count, ret = acl.mdl.get_input_dynamic_gear_count(model.desc, -1)
    assert (count, ret) == (2, 0)
    gears, ret = acl.mdl.get_input_dynamic_dims(model.desc, -1, count)
    assert ret == 0 and [gear["dims"] for gear in gears] == [[1, 4], [2, 8]]
    index, ret = acl.mdl.get_input_index_by_name(model.desc, "ascend_mbatch_shape_data")
    check(ret)
    inputs, outputs = (Buffers(sizes) for sizes in model.sizes())
    x = np.arange(-8, 8, dtype=np.float32).reshape(2, 8)
    inputs.write(0, x)
    check(acl.mdl.set_input_dynamic_dims(model.id, inputs.dataset, index, gears[1]))
    check(acl.mdl.execute(model.id, inputs.dataset, outputs.dataset))
    assert np.array_equal(outputs.read(0, (2, 8)), np.maximum(x, 0))
    for each in (inputs, outputs, model):
        each.close()


def test_shapes_known_only_when_run(context, tmp_path):
    file, answer = models.growing(tmp_path / "growing.onnx")
    model = Model(file)
    for rows in (1, 5, 3):
        x = np.random.default_rng(rows).standard_normal((rows, 8)).astype(np.float32)
        inputs, outputs = Buffers([x.nbytes]), Buffers([x.nbytes])
        inputs.write(0, x)
        desc = acl.create_tensor_desc(models.FLOAT, [rows, 8], models.ND)
        dataset, ret = acl.mdl.set_dataset_tensor_desc(inputs.dataset, desc, 0)
        assert dataset == inputs.dataset
        check(ret)
        acl.destroy_tensor_desc(desc)  # it was copied
        check(acl.mdl.execute(model.id, inputs.dataset, outputs.dataset))
        out = acl.mdl.get_dataset_tensor_desc(outputs.dataset, 0)
        assert [acl.get_tensor_desc_dim_v2(out, i)[0] for i in range(acl.get_tensor_desc_num_dims(out))] == [rows, 8]
        assert np.allclose(outputs.read(0, (rows, 8)), answer(x), rtol=1e-5)
        inputs.close()
        outputs.close()
    model.close()
