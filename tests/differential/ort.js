// SPDX-License-Identifier: Apache-2.0
// Runs the cases in the given folders with ONNX Runtime, unoptimised. FOLDER/case.json names the models, and the inputs of each
// run. Output i of run r of model m is FOLDER/ort_<m>_<r>_<i>.bin; FOLDER/ort.json has types and shapes, or the error.
const fs = require('fs');
const ort = require('onnxruntime-node');

const arrays = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, int8: Int8Array, uint8: Uint8Array,
  int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array,
  uint64: BigUint64Array, bool: Uint8Array,
};

function tensor(folder, input) {
  const bytes = fs.readFileSync(`${folder}/${input.file}`);
  const data = new arrays[input.type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return new ort.Tensor(input.type, data, input.shape);
}

async function runModel(folder, test, m) {
  const options = {intraOpNumThreads: 1, graphOptimizationLevel: 'disabled', logSeverityLevel: 4};
  const session = await ort.InferenceSession.create(`${folder}/${test.models[m]}`, options);
  const runs = [];
  for (const [r, inputs] of test.runs.entries()) {
    const feeds = {};
    for (const input of inputs)
      if (session.inputNames.includes(input.name)) feeds[input.name] = tensor(folder, input);
    const results = await session.run(feeds);
    runs.push(session.outputNames.map((name, i) => {
      const {data, dims, type} = results[name];
      fs.writeFileSync(`${folder}/ort_${m}_${r}_${i}.bin`, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      return {type, shape: dims};
    }));
  }
  await session.release();
  return runs;
}

(async () => {
  for (const folder of process.argv.slice(2)) {
    let report;
    try {
      const test = JSON.parse(fs.readFileSync(`${folder}/case.json`));
      report = {models: []};
      for (const m of test.models.keys()) report.models.push(await runModel(folder, test, m));
    } catch (error) {
      report = {error: String(error)};
    }
    fs.writeFileSync(`${folder}/ort.json`, JSON.stringify(report));
  }
})();
