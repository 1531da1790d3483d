// Random weights by name: the same name gives the same numbers in every run and in every format. All are whole numbers of
// -127 to 127 times a power of two, so that int8, bfloat16 and float32 hold exactly the same weights.

/** FNV-1a of the name's characters, and never 0, from which xorshift does not move. */
export function seedOf(name) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}

/** `count` whole numbers of -127 to 127: xorshift32 (Marsaglia, 2003). */
export function levels(name, count) {
  const values = new Int8Array(count);
  let state = seedOf(name) | 0;
  for (let i = 0; i < count; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = ((state >>> 8) % 255) - 127;
  }
  return values;
}

/** The step between levels of a matrix: the power of two that best keeps the variance of `inputs` summed products. */
export const matrixScale = (inputs) => 2 ** Math.round(Math.log2(Math.sqrt(3 / inputs) / 127));
/** The step of a table of words or positions, which reaches 1. */
export const TABLE_SCALE = 2 ** -7;
/** The step of biases, and of the difference of norms' weights from 1; both reach 0.12. */
const VECTOR_SCALE = 2 ** -10;

export function scaled(values, scale) {
  const floats = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) floats[i] = values[i] * scale;
  return floats;
}

/** A bias, or with `around` 1 the weight of a norm. */
export function vector(name, count, around = 0) {
  return scaled(levels(name, count), VECTOR_SCALE).map((each) => each + around);
}

/** (rows, columns) to (columns, rows), of any type. */
export function transposed(values, rows, columns) {
  const turned = new values.constructor(values.length);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) turned[c * rows + r] = values[r * columns + c];
  return turned;
}

/** The upper half of each float32, which is exact here: levels have 7 bits. */
export function bfloat16(floats) {
  const bits = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  const halves = new Uint16Array(floats.length);
  for (let i = 0; i < bits.length; i++) halves[i] = bits[i] >>> 16;
  return halves;
}

/**
 * Where the ONNX graphs take their weights from; here the random ones. Matrices are (outputs, inputs); those of 8 bits are
 * whole numbers with `scales`, one for the matrix or one for each output.
 */
export const RANDOM = {
  vector,
  matrix: (name, outputs, inputs) => scaled(levels(name, outputs * inputs), matrixScale(inputs)),
  matrixLevels: (name, outputs, inputs) => ({
    values: levels(name, outputs * inputs),
    scales: Float32Array.of(matrixScale(inputs)),
  }),
  table: (name, rows, columns) => scaled(levels(name, rows * columns), TABLE_SCALE),
  tableLevels: (name, rows, columns) => ({ values: levels(name, rows * columns), scale: TABLE_SCALE }),
};
