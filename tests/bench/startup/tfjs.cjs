// Arguments: the core, the backend, the folder of its modules.
const [core, backend, folder] = process.argv.slice(2);
const begun = performance.now();
const tf = require(core);
require(backend).setWasmPaths(folder);
(async () => {
  await tf.setBackend("wasm");
  await tf.ready();
  const x = tf.ones([1, 1, 12, 64]);
  const cut = [1, 1, 12, 32];
  const [a, b] = [tf.slice(x, [0, 0, 0, 0], cut), tf.slice(x, [0, 0, 0, 32], cut)];
  const y = tf.concat([tf.sub(tf.mul(a, 0.5), tf.mul(b, 0.25)), tf.add(tf.mul(a, 0.25), tf.mul(b, 0.5))], 3);
  console.log(y.dataSync()[0] === 0.25 ? performance.now() - begun : "its result is wrong");
})();
