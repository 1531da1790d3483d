import type { ComponentType } from "preact";
import type { Room } from "./index.js";

/** Each room's code loads when the room is first shown. */
export const panels: Record<Room, () => Promise<ComponentType>> = {
  roformer: async () => (await import("./roformer/panel.js")).RoFormerRoom,
  rotate: async () => (await import("./rotate/panel.js")).Rotate,
  frequencies: async () => (await import("./frequencies/panel.js")).FrequenciesRoom,
  distance: async () => (await import("./distance/panel.js")).DistanceRoom,
  "receptive-field": async () => (await import("./receptive-field/panel.js")).ReceptiveFieldRoom,
  encodings: async () => (await import("./encodings/panel.js")).EncodingsRoom,
  train: async () => (await import("./train/panel.js")).TrainRoom,
  "long-context": async () => (await import("./long-context/panel.js")).LongContextRoom,
  speed: async () => (await import("./speed/panel.js")).SpeedRoom,
};
