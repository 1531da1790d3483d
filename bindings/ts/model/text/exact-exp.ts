/**
 * The exponential by additions and multiplications alone, whose float64 results are the same bits in every engine.
 * Math.exp may differ in its last bit from engine to engine.
 */
// ln 2 in two parts: the first has so few bits that its products with whole numbers up to 2^11 are exact.
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** 1/13!, 1/12!, ..., 1/0!: enough for |r| <= ln 2 / 2. */
const COEFFICIENTS = (() => {
  const inverse = [1];
  for (let n = 1; n <= 13; n++) inverse.push(inverse[n - 1]! / n);
  return inverse.reverse();
})();

/** 2^k for whole k from -1074 to 1023, without rounding. */
function powerOfTwo(k: number): number {
  let power = 1;
  const factor = k < 0 ? 0.5 : 2;
  for (let i = Math.abs(k); i > 0; i--) power *= factor;
  return power;
}

/** Within 1e-15 of e^x, relatively, for x <= 0; below -745 it is 0. */
export function exactExp(x: number): number {
  if (x < -745) return 0;
  const k = Math.round(x * Math.LOG2E);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 0;
  for (const coefficient of COEFFICIENTS) sum = sum * r + coefficient;
  return sum * powerOfTwo(k);
}
