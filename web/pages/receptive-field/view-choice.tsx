import { Segmented } from "../../components/segmented.js";
import { state } from "./state.js";

/** Distances between words, or between the patches of a picture. */
export function ViewChoice() {
  return (
    <Segmented
      legend="view"
      name="field-view"
      value={state.view}
      options={[
        ["text", "in a text"],
        ["picture", "in a picture"],
      ]}
    />
  );
}
