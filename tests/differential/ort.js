// SPDX-License-Identifier: Apache-2.0
// Runs FOLDER/m.onnx on FOLDER/x.bin with ONNX Runtime, unoptimised, for each folder given; its outputs are
// FOLDER/ort_<i>.bin and FOLDER/ort.json has their shapes, or the error.
const fs = require('fs');
const ort = require('onnxruntime-node');

async function run(folder) {
  const options = {intraOpNumThreads: 1, graphOptimizationLevel: 'disabled', logSeverityLevel: 4};
  const session = await ort.InferenceSession.create(`${folder}/m.onnx`, options);
  const bytes = fs.readFileSync(`${folder}/x.bin`);
  const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const shape = JSON.parse(fs.readFileSync(`${folder}/shape.json`));
  const results = await session.run({x: new ort.Tensor('float32', floats, shape)});
  return session.outputNames.map((name, i) => {
    const {data, dims} = results[name];
    fs.writeFileSync(`${folder}/ort_${i}.bin`, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    return dims;
  });
}

(async () => {
  for (const folder of process.argv.slice(2)) {
    let report;
    try {
      report = {shapes: await run(folder)};
    } catch (error) {
      report = {error: String(error)};
    }
    fs.writeFileSync(`${folder}/ort.json`, JSON.stringify(report));
  }
})();
