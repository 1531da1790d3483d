import type { ComponentType } from "preact";
import type { Room } from "./rooms.js";

/** Each room's code loads when the room is first shown. */
export const panels: Record<Room, () => Promise<ComponentType>> = {
  roformer: async () => (await import("./panels/roformer.js")).RoFormerRoom,
  rotate: async () => (await import("./panels/rotate.js")).Rotate,
  frequencies: async () => (await import("./panels/frequencies.js")).FrequenciesRoom,
  distance: async () => (await import("./panels/distance.js")).DistanceRoom,
  "receptive-field": async () => (await import("./panels/receptive-field.js")).ReceptiveFieldRoom,
  encodings: async () => (await import("./panels/encodings.js")).EncodingsRoom,
  train: async () => (await import("./panels/train.js")).TrainRoom,
  "long-context": async () => (await import("./panels/long-context.js")).LongContextRoom,
  speed: async () => (await import("./panels/speed.js")).SpeedRoom,
};
