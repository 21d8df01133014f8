// SPDX-License-Identifier: Apache-2.0
// Times ONNX Runtime on a model with one input, in a file of raw bytes, and prints JSON:
// node ort.js MODEL THREADS WARMUP SECONDS NAME:TYPE:DIMS FILE [OUTPUT_FILE]
const fs = require('fs');
const ort = require('onnxruntime-node');

const ARRAYS = {float32: Float32Array, int64: BigInt64Array};

function read(text, file) {
  const [name, type, dims] = text.split(':');
  const bytes = fs.readFileSync(file);
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return {[name]: new ort.Tensor(type, new ARRAYS[type](copy), dims.split(',').map(Number))};
}

async function main() {
  const [model, threads, warmup, seconds, input, file, output] = process.argv.slice(2);
  const begin = process.hrtime.bigint();
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: Number(threads), interOpNumThreads: 1, graphOptimizationLevel: 'all', logSeverityLevel: 3});
  const load = Number(process.hrtime.bigint() - begin) / 1e6;
  const feeds = read(input, file);
  const times = [];
  let results;
  for (let i = 0; i < Number(warmup); ++i) await session.run(feeds);
  const first = process.hrtime.bigint();
  do {
    const start = process.hrtime.bigint();
    results = await session.run(feeds);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  } while (Number(process.hrtime.bigint() - first) / 1e9 < Number(seconds));
  if (output) {
    const data = results[session.outputNames[0]].data;
    fs.writeFileSync(output, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({load_ms: load, median_ms: times[times.length >> 1]}));
}

main();
