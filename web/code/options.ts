import type { Frequencies, RopeOptions } from "ropewalk";
import { rules } from "../rope/rules.js";
import { cppMembers, typescriptObject } from "./literal.js";

export function typescriptOptions(options: RopeOptions): string {
  return typescriptObject({ ...options });
}

function cppFrequencies(frequencies: Frequencies): string {
  const { type, ...values } = frequencies;
  const { structure, parameters } = rules[type];
  const members = cppMembers(
    values,
    parameters.map(({ name }) => name),
  );
  return `ropewalk::frequencies::${structure}{${members.join(", ")}}`;
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
