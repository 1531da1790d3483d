/** Places of values on an axis, as shares of its length, and the ticks of the axis. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  /** 0 at min, 1 at max; a value beyond either end stands at that end. */
  of(value: number): number;
  at(share: number): number;
  /** Share of the axis at either end that lies beyond the values. */
  readonly air?: number;
  readonly ticks: readonly number[];
}

const within = (share: number) => Math.max(0, Math.min(1, share));

/** 1, 2 or 5 times a power of ten, so that about `count` of them fill the range. */
function niceStep(range: number, count: number): number {
  const rough = range / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const first = [1, 2, 5].find((times) => times * power >= rough * 0.999);
  return (first ?? 10) * power;
}

export function linear(min: number, max: number, count = 5): Scale {
  const step = niceStep(max - min, count);
  const first = Math.ceil(min / step - 1e-9);
  const ticks = Array.from({ length: Math.floor(max / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
  return { min, max, ticks, of: (value) => within((value - min) / (max - min)), at: (s) => min + s * (max - min) };
}

/** From `first` to `first` times two to the power of `times`, a tick at every doubling, with some air at either end. */
export function doubling(first: number, times: number): Scale {
  const air = 0.15;
  const whole = times + 2 * air;
  return {
    min: first / 2 ** air,
    max: first * 2 ** (times + air),
    air: air / whole,
    ticks: Array.from({ length: times + 1 }, (_, i) => first * 2 ** i),
    of: (value) => within((Math.log2(value / first) + air) / whole),
    at: (share) => first * 2 ** (share * whole - air),
  };
}

/** Powers of ten, thinned out where there are more than `count`. */
export function logarithmic(min: number, max: number, count = 8): Scale {
  const [low, high] = [Math.log10(min), Math.log10(max)];
  const every = Math.max(1, Math.ceil((high - low) / count));
  const first = Math.ceil(low - 1e-9);
  const ticks = Array.from(
    { length: Math.floor((high - first + 1e-9) / every) + 1 },
    (_, i) => 10 ** (first + i * every),
  );
  return {
    min,
    max,
    ticks,
    of: (value) => within((Math.log10(value) - low) / (high - low)),
    at: (share) => 10 ** (low + share * (high - low)),
  };
}
