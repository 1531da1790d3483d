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
            ? "Turn it off and word order stops mattering."
            : "Without rotation the sentence is a bag of words: its answer does not depend on their order."
        }
      />
    </div>
  );
}
