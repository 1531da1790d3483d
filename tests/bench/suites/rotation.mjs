// Rotation in WebAssembly and its rivals, a group for each pairing and shape.

import { LOOPS } from "../../../web/pages/speed/javascript-loops.mjs";
import * as ways from "../candidates/rotation.mjs";
import { measureGroup } from "../harness/group.mjs";
import { randomFloats } from "../harness/random.mjs";
import { tables } from "../reference/rotation.mjs";
import { elementsOf, PAIRINGS, ROTATIONS, shapeText } from "../shapes.mjs";

export async function rotationSuite(host, { timing, quick, report }) {
  for (const pairing of PAIRINGS) {
    for (const [name, { shape }] of Object.entries(ROTATIONS)) {
      if (quick && name !== "A") continue;
      report(await rotationGroup(host, name, shape, pairing, timing, quick));
    }
  }
}

function rotationGroup(host, name, shape, pairing, timing, quick) {
  const x = randomFloats(elementsOf(shape));
  const problem = { shape, pairing, x, tables: tables(shape[1], shape[3]) };
  const [long, short] = ways.CHAIN;
  const makers = [
    { key: "ropewalk", label: "ropewalk, on a Tensor", make: () => ways.ropewalkTensor(host, problem) },
    { key: "ropewalk-copies", label: "ropewalk, copied in and out", make: () => ways.ropewalkCopies(host, problem) },
    { key: "plain-c", label: "plain C, emcc -O3 -msimd128", make: () => ways.plainC(host, problem) },
    ...Object.keys(LOOPS).map((loop) => ({
      key: `js-${loop.replace(" ", "-")}`,
      label: `JavaScript, ${loop}`,
      make: () => host.loop({ loop, pairing, shape }),
    })),
    {
      key: "ort-call",
      label: "onnxruntime-web, call",
      make: async () => ways.onnxRotation(await host.ort(), short, problem),
    },
    {
      key: "ort-long",
      label: `onnxruntime-web, ${long} nodes`,
      make: async () => ways.onnxRotation(await host.ort(), long, problem),
    },
    ...(quick ? [] : [{ key: "tfjs", label: "tfjs, wasm backend", make: () => ways.tfRotation(host, problem) }]),
    { key: "scale", label: "scaling in place", make: () => ways.scaleInPlace(host, problem) },
  ];
  return measureGroup({
    suite: "rotation",
    host: host.name,
    key: `${pairing}/${name}`,
    title: `${pairing}, ${name} ${shapeText(shape)}`,
    work: { unit: "GB/s", amount: 8 * x.length },
    makers,
    chains: [
      { key: "ort-op", label: "onnxruntime-web, op alone", long: "ort-long", short: "ort-call", nodes: ways.CHAIN },
    ],
    timing,
  });
}
