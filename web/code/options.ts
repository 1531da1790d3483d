import type { Axes, Frequencies, RopeOptions } from "ropewalk";
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

/** A list is the axis of each pair, which a braced list alone would not make. */
function cppAxes({ order, pairWithin, ...rest }: Axes): string {
  const words = {
    order:
      typeof order === "object"
        ? `std::vector<std::size_t>{${order.join(", ")}}`
        : order && `ropewalk::Axes::Order::${order}`,
    pairWithin: pairWithin && `ropewalk::Axes::PairWithin::${pairWithin}`,
  };
  const members = cppMembers({ ...rest, ...words }, ["sections", "order", "pairWithin", "restartFrequencies"]);
  return `ropewalk::Axes{${members.join(", ")}}`;
}

/** `{...}` that makes a ropewalk::RopeOptions; its members in the order of their declaration. */
export function cppOptions(options: RopeOptions): string {
  const {
    headDim,
    rotaryDim,
    rotaryOffset,
    pairing = "interleaved",
    frequencies,
    axes,
    xpos,
    queryScale,
    angles,
  } = options;
  const members = [
    ...cppMembers({ headDim, rotaryDim, rotaryOffset }, ["headDim", "rotaryDim", "rotaryOffset"]),
    `.pairing = ropewalk::Pairing::${pairing}`,
  ];
  if (frequencies) members.push(`.frequencies = ${cppFrequencies(frequencies)}`);
  if (axes) members.push(`.axes = ${cppAxes(axes)}`);
  if (xpos) members.push(`.xpos = ropewalk::XPos{${cppMembers({ ...xpos }, ["scaleBase", "centre"]).join(", ")}}`);
  if (queryScale) {
    const inner = cppMembers({ ...queryScale }, ["scale", "length", "offset"]);
    members.push(`.query_scale = ropewalk::QueryScale{${inner.join(", ")}}`);
  }
  if (angles) members.push(`.angles = ropewalk::Angles::${angles}`);
  return `{\n${members.map((member) => `    ${member},\n`).join("")}}`;
}
