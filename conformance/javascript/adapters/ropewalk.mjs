// Ropewalk's npm package. `adapter("float32")` compares the float32 column, with angles computed as PyTorch does.
import { load, ropeOptionsFromConfig } from "ropewalk";

const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const inCamelCase = (object) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [camelCase(name), value]));

/** Shows a rope to the runner. Its `frequencies` are the exact ones also where `angles` is "float32". */
function shown(rope, exact, axes) {
  const rotation = {
    rotate: (x, position) => rope.rotate(Float32Array.from(x), { sequence: 1, heads: 1, positions: position }),
  };
  if (axes) return { ...rotation, magnitude: () => rope.magnitude }; // Its table has one position for all axes.
  rotation.table = (position) => {
    const { cos, sin } = rope.table([position]);
    return [cos, sin];
  };
  if (!exact) return rotation;
  return { ...rotation, theta: () => rope.frequencies, magnitude: () => rope.magnitude };
}

export async function adapter(precision = "float32-output") {
  const ropewalk = await load({ analysis: true });
  const exact = precision === "float32-output";
  const made = {
    precision,
    make(one, pairing) {
      const options = {
        headDim: one.head_dim,
        rotaryDim: one.rotary_dim,
        pairing,
        angles: exact ? "exact" : "float32",
        ...(one.axes && { axes: inCamelCase(one.axes) }),
      };
      try {
        return shown(ropewalk.rope({ ...options, frequencies: inCamelCase(one.frequencies) }), exact, one.axes);
      } catch (error) {
        // Vectors may be ahead of the library by a rule.
        if (/`frequencies\.type`/.test(error.message)) return null;
        throw error;
      }
    },
  };
  if (!exact) return made;
  const read = (config, one) => {
    const options = ropeOptionsFromConfig(config, { sequenceLength: one.sequence_length ?? undefined });
    return shown(ropewalk.rope(options), true);
  };
  return { ...made, axes: true, read };
}

export default await adapter();
