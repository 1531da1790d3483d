import type { Frequencies, RopeOptions } from "ropewalk";
import { rules } from "../rope/rules.js";
import { cppMembers, typescriptObject } from "./literal.js";

export function typescriptOptions(options: RopeOptions): string {
  return typescriptObject({ ...options });
}

const structs: Readonly<Record<Frequencies["type"], string>> = {
  default: "Default",
  linear: "Linear",
  ntk: "Ntk",
  dynamic: "Dynamic",
  yarn: "Yarn",
  longrope: "LongRope",
  llama3: "Llama3",
  proportional: "Proportional",
  "receptive-field": "ReceptiveField",
  custom: "Custom",
};

function cppFrequencies({ type, ...values }: Frequencies): string {
  const names = rules[type].parameters.map(({ name }) => name);
  const members = cppMembers(values, names);
  return `ropewalk::frequencies::${structs[type]}{${members.join(", ")}}`;
}

/** `{...}` that makes a ropewalk::RopeOptions; its members in the order of their declaration. */
export function cppOptions(options: RopeOptions): string {
  const { headDim, rotaryDim, rotaryOffset, pairing = "interleaved", frequencies, axes, xpos, angles } = options;
  const members = [
    ...cppMembers({ headDim, rotaryDim, rotaryOffset }, ["headDim", "rotaryDim", "rotaryOffset"]),
    `.pairing = ropewalk::Pairing::${pairing}`,
  ];
  if (frequencies) members.push(`.frequencies = ${cppFrequencies(frequencies)}`);
  if (axes) {
    const order = axes.order && `ropewalk::Axes::Order::${axes.order}`;
    const inner = cppMembers({ ...axes, order }, ["sections", "order", "restartFrequencies"]);
    members.push(`.axes = ropewalk::Axes{${inner.join(", ")}}`);
  }
  if (xpos) members.push(`.xpos = ropewalk::XPos{${cppMembers({ ...xpos }, ["scaleBase", "centre"]).join(", ")}}`);
  if (angles) members.push(`.angles = ropewalk::Angles::${angles}`);
  return `{\n${members.map((member) => `    ${member},\n`).join("")}}`;
}
