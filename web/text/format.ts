/** Numbers as the page writes them: a true minus, thin spaces in thousands, no exponent where a person reads. */
const minus = (written: string) => written.replace("-", "\u2212");

export function fixed(value: number, digits: number): string {
  const written = value.toFixed(digits);
  return minus(Number(written) === 0 ? written.replace("-", "") : written);
}

/** A score of a query and a key, a bound of it, or a cosine: with as many digits on every page. */
export const scoreText = (value: number): string => fixed(value, 4);

export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : minus(String(value));
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e7)) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return minus(`${mantissa}\u00a0\u00d7\u00a010${superscript(Number(exponent))}`);
  }
  return minus(Math.abs(value) >= 1000 ? whole(value) : String(Number(value.toPrecision(digits))));
}

const raised = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
function superscript(exponent: number): string {
  return [...String(exponent)].map((digit) => (digit === "-" ? "\u207b" : raised[Number(digit)])).join("");
}

/** Ticks of logarithmic axes: 10 000 000 would not fit beside one. */
export function power(value: number): string {
  return value >= 0.01 && value < 10000 ? significant(value) : `10${superscript(Math.round(Math.log10(value)))}`;
}

/** Three digits and a thousand's k: for captions of little room. */
export function compact(value: number): string {
  if (value < 1000) return significant(value);
  return value < 1e6 ? `${Number((value / 1e3).toPrecision(3))}k` : `${Number((value / 1e6).toPrecision(3))}M`;
}

export function whole(value: number): string {
  return minus(String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f"));
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value >= 99.95 ? "100" : value >= 10 ? value.toFixed(1) : value >= 0.1 ? value.toFixed(2) : value > 0 ? "< 0.1" : "0"}\u202f%`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} bytes`;
  return count < 1e6 ? `${(count / 1e3).toFixed(0)} kB` : `${(count / 1e6).toFixed(count < 1e7 ? 2 : 1)} MB`;
}

export function milliseconds(value: number): string {
  return value >= 1000
    ? `${(value / 1000).toFixed(2)} s`
    : value >= 10
      ? `${value.toFixed(0)} ms`
      : `${value.toFixed(1)} ms`;
}
