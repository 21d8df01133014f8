// SPDX-License-Identifier: Apache-2.0
// Times ONNX Runtime on a model: node ort.js MODEL THREADS WARMUP REPEAT [name:dims...] prints JSON.
const ort = require('onnxruntime-node');

async function main() {
  const [model, threads, warmup, repeat, ...shapes] = process.argv.slice(2);
  const begin = process.hrtime.bigint();
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: Number(threads), interOpNumThreads: 1, graphOptimizationLevel: 'all'});
  const load = Number(process.hrtime.bigint() - begin) / 1e6;
  const feeds = {};
  for (const text of shapes) {
    const [name, dims] = text.split(':');
    const shape = dims.split(',').map(Number);
    const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
    for (let i = 0; i < data.length; ++i) data[i] = Math.sin(i);
    feeds[name] = new ort.Tensor('float32', data, shape);
  }
  const times = [];
  for (let i = 0; i < Number(warmup) + Number(repeat); ++i) {
    const start = process.hrtime.bigint();
    await session.run(feeds);
    if (i >= Number(warmup)) times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({load_ms: load, median_ms: times[times.length >> 1], peak_kb: process.resourceUsage().maxRSS}));
}

main();
