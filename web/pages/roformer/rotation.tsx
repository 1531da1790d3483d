import { Segmented } from "../../components/segmented.js";
import { state } from "./state.js";

/** The same weights with and without the turning of queries and keys. */
export function Rotation() {
  const { rotation } = state;
  return (
    <div class="rotation">
      <Segmented
        legend="rotation of queries and keys"
        name="rotation"
        value={rotation}
        options={[
          ["on", "on"],
          ["off", "off"],
        ]}
        hint={
          rotation.value === "on"
            ? "Switch it off, and swapped words get the same answer."
            : "Without it the model sees a bag of words: whatever their order, its answer is the same."
        }
      />
    </div>
  );
}
