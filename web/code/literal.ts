/** Options as a person writes them in either language. */
const number = (value: number): string => (Object.is(value, -0) ? "0" : String(value));

function typescriptValue(value: unknown): string {
  if (typeof value === "number") return number(value);
  if (typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return `[${Array.from(value as ArrayLike<unknown>, typescriptValue).join(", ")}]`;
  }
  const members = Object.entries(value as object).filter(([, member]) => member !== undefined);
  return `{ ${members.map(([name, member]) => `${name}: ${typescriptValue(member)}`).join(", ")} }`;
}

/** One member on a line of its own, each on the same indent. */
export function typescriptObject(members: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{\n${lines.map(([name, value]) => `  ${name}: ${typescriptValue(value)},\n`).join("")}}`;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `.factor = 8`; lists in braces. */
function cppMember(name: string, value: unknown): string {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return `.${snake(name)} = {${Array.from(value as ArrayLike<number>, number).join(", ")}}`;
  }
  return `.${snake(name)} = ${typeof value === "number" ? number(value) : String(value)}`;
}

/** Designated initialisers in the order of `names`, which must be that of the declaration and leave out nothing. */
export function cppMembers(values: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  const forgotten = Object.keys(values).filter((name) => values[name] !== undefined && !names.includes(name));
  if (forgotten.length > 0) throw new Error(`C++ has no place for ${forgotten.join(", ")}`);
  return names.filter((name) => values[name] !== undefined).map((name) => cppMember(name, values[name]));
}

/** Numbers in rows of at most 110 columns. */
export function rowsOf(values: ArrayLike<number>, indent: string, write: (value: number) => string): string {
  const rows: string[] = [];
  for (const value of Array.from(values, write)) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + value.length < 104) rows[rows.length - 1] = `${last} ${value},`;
    else rows.push(`${indent}${value},`);
  }
  return rows.join("\n");
}
