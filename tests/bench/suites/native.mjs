// The C++ library on this machine, its rivals there, and what the machine can do. The native program and
// onnxruntime-node are sampled in turn.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAIN, onnxRotation } from "../candidates/rotation.mjs";
import { measureGroup } from "../harness/group.mjs";
import { randomFloats } from "../harness/random.mjs";
import { openNative } from "../hosts/native.mjs";
import { tables } from "../reference/rotation.mjs";
import { readSafetensors } from "../reference/safetensors.mjs";
import { elementsOf, LENGTHS, PAIRINGS, PRODUCTS, ROTATIONS, shapeText } from "../shapes.mjs";
import { encoderCheck, onnxEncoder, operations } from "./encoder.mjs";
import { CONFIG, checkpoint, idsOf } from "./model-source.mjs";

const PEAK = 2_000_000;

export async function nativeSuite(host, { timing, quick, report, program, folder }) {
  const native = await openNative(program);
  const of = (key, label, words, more) => ({ key, label, more, make: () => native.candidate(words) });
  const group = (about) => measureGroup({ suite: "native", host: "native", timing, ...about });
  const peak = of("peak", "the limit: multiply-adds", ["peak"], { amount: 2 * PEAK });
  try {
    for (const pairing of PAIRINGS) {
      for (const [name, { shape }] of Object.entries(ROTATIONS)) {
        if (!quick || name === "A") report(await group(rotationGroup(host, of, native, pairing, name, shape)));
      }
    }
    for (const [name, sizes] of Object.entries(PRODUCTS)) {
      if (quick && name !== "128x256x256") continue;
      const [m, k, n] = sizes;
      const work = { unit: "GFLOP/s", amount: 2 * m * k * n };
      const makers = [of("ropewalk", "ropewalk, weight packed", ["product", ...sizes]), peak];
      report(
        await group({ key: `product/${name}`, title: `native product ${name.replaceAll("x", " x ")}`, work, makers }),
      );
    }
    const weights = await checkpoint(host);
    const files = [join(folder, "config.json"), join(folder, "model.safetensors")];
    writeFileSync(files[0], JSON.stringify(CONFIG));
    writeFileSync(files[1], weights);
    const tensors = readSafetensors(weights);
    for (const length of quick ? [128] : LENGTHS) {
      const ids = join(folder, `ids-${length}`);
      writeFileSync(ids, idsOf(length));
      report(
        await group({
          key: `encoder/${length}`,
          title: `native encoder, length ${length}`,
          work: { unit: "GFLOP/s", amount: operations(length) },
          makers: [
            of("ropewalk", "ropewalk", ["encoder", ...files, ids, "float32"]),
            {
              key: "ort-call",
              label: "onnxruntime-node, 1 thread",
              make: async () => onnxEncoder(await host.ortNative(), tensors, length, encoderCheck(tensors, length)),
            },
          ],
        }),
      );
    }
  } finally {
    native.close();
  }
}

function rotationGroup(host, of, native, pairing, name, shape) {
  const x = randomFloats(elementsOf(shape));
  const problem = { shape, pairing, x, tables: tables(shape[1], shape[3]) };
  const [long, short] = CHAIN;
  const rotate = (who) => ["rotate", who, pairing, ...shape];
  const onnx = async (nodes) => onnxRotation(await host.ortNative(), nodes, problem);
  return {
    key: `rotation/${pairing}/${name}`,
    title: `native ${pairing}, ${name} ${shapeText(shape)}`,
    work: { unit: "GB/s", amount: 8 * x.length },
    makers: [
      of("ropewalk", `ropewalk (${native.architecture})`, rotate("ropewalk")),
      of("plain-gcc", "plain C, g++ -O3 -march=native", rotate("gcc")),
      of("plain-clang", "plain C, clang++ -O3 -march=native", rotate("clang")),
      { key: "ort-call", label: "onnxruntime-node, call", make: () => onnx(short) },
      { key: "ort-long", label: `onnxruntime-node, ${long} nodes`, make: () => onnx(long) },
      ...(pairing === "half"
        ? [
            of("bfloat16", "ropewalk, bfloat16", rotate("bfloat16"), { amount: 4 * x.length }),
            of("float16", "ropewalk, float16", rotate("float16"), { amount: 4 * x.length }),
            of("table", "the exact table alone, new positions", rotate("table"), { amount: 0 }),
          ]
        : []),
      of("scale", "the limit: scale in place", rotate("scale")),
    ],
    chains: [{ key: "ort-op", label: "onnxruntime-node, op alone", long: "ort-long", short: "ort-call", nodes: CHAIN }],
  };
}
