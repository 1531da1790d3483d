import { Segmented } from "../../components/segmented.js";
import { state } from "./state.js";

/** Writing with the model, or a look at what its rotation is for. */
export function ViewChoice() {
  return (
    <Segmented
      legend="view"
      name="generate-view"
      value={state.view}
      options={[
        ["text", "write and edit"],
        ["microscope", "microscope"],
      ]}
    />
  );
}
