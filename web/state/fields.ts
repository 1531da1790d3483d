import { type Signal, signal } from "@preact/signals";

/** A signal, or what is read and written as one. */
export type Value<T> = Pick<Signal<T>, "value" | "peek">;

/** One value of the page's state as it stands in the address: how it is read, written and checked. */
export interface Field<T> {
  readonly fallback: T;
  /** The allowed values, for the note when a link holds something else. */
  readonly allowed: string;
  /** undefined: not a value of this field. */
  parse(raw: string): T | undefined;
  format(value: T): string;
}

export interface NumberField extends Field<number> {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** A number on the grid min, min + step, ..., max. */
export function number(fallback: number, min: number, max: number, step: number): NumberField {
  const onGrid = (value: number) => Math.abs((value - min) / step - Math.round((value - min) / step)) < 1e-6;
  return {
    fallback,
    min,
    max,
    step,
    allowed: `${min} to ${max}${step === 1 ? "" : ` in steps of ${step}`}`,
    parse(raw) {
      if (!/^-?\d{1,9}(\.\d{1,6})?$/.test(raw)) return undefined;
      const value = Number(raw);
      return value >= min && value <= max && onGrid(value) ? value : undefined;
    },
    format: (value) => String(Number(value.toFixed(6))),
  };
}

export function integer(fallback: number, min: number, max: number): NumberField {
  return number(fallback, min, max, 1);
}

export interface ChoiceField<T extends string> extends Field<T> {
  readonly values: readonly T[];
}

export function choice<const T extends string>(fallback: NoInfer<T>, values: readonly T[]): ChoiceField<T> {
  return {
    fallback,
    values,
    allowed: values.join(", "),
    parse: (raw) => values.find((value) => value === raw),
    format: (value) => value,
  };
}

/** A choice that one plays with: changes of it are no steps of the browser's Back. */
export function toggle<const T extends string>(fallback: NoInfer<T>, values: readonly T[]): Field<T> {
  const { values: _, ...field } = choice(fallback, values);
  return field;
}

/** Some of the values, each once, in their order: `rope,learned`. */
export function choices<T extends string>(
  fallback: readonly T[],
  values: readonly T[],
  most = values.length,
): Field<readonly T[]> {
  return {
    fallback,
    allowed: `1 to ${most} of ${values.join(", ")}`,
    parse(raw) {
      const parts = raw.split(",");
      const known = values.filter((name) => parts.includes(name));
      return known.length === parts.length && known.length >= 1 && known.length <= most ? known : undefined;
    },
    format: (value) => value.join(","),
  };
}

export function text(fallback: string, maxLength: number): Field<string> {
  return {
    fallback,
    allowed: `at most ${maxLength} characters`,
    parse: (raw) => (raw.length <= maxLength ? raw : undefined),
    // A text that a link could not restore is not written into one.
    format: (value) => (value.length <= maxLength ? value : fallback),
  };
}

/** `count` numbers between two ends: `1_0.5_-0.25`. */
export function numbers(
  fallback: readonly number[],
  count: number,
  min: number,
  max: number,
): Field<readonly number[]> {
  return {
    fallback,
    allowed: `${count} numbers from ${min} to ${max} with _ between`,
    parse(raw) {
      const items = raw.split("_");
      const values = items.map(Number);
      const sound = items.every((item, i) => /^-?\d\.?\d{0,3}$/.test(item) && values[i]! >= min && values[i]! <= max);
      return sound && items.length === count ? values : undefined;
    },
    format: (values) => values.map((value) => String(Number(value.toFixed(3)))).join("_"),
  };
}

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** A signal for each field, which begins at the field's fallback. */
export function signalsOf<F extends Readonly<Record<string, Field<unknown>>>>(
  fields: F,
): { readonly [K in keyof F]: Signal<ValueOf<F[K]>> } {
  const entries = Object.entries(fields).map(([name, field]) => [name, signal(field.fallback)]);
  return Object.fromEntries(entries) as { readonly [K in keyof F]: Signal<ValueOf<F[K]>> };
}
