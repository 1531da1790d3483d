import { useSignal } from "@preact/signals";
import { download } from "../../export/save.js";
import { messageOf } from "../../text/message.js";
import { state } from "./state.js";
import { worker } from "./worker.js";

export const weightsFile = () => `${state.encoding.value}-${state.seed.value}.safetensors`;

/** The chosen encoding's model as a file, for the program below or any other. */
export function WeightsButton() {
  const failed = useSignal("");
  const save = async () => {
    try {
      failed.value = "";
      const bytes = await worker().call("weights", { encoding: state.encoding.value, seed: state.seed.value });
      download(new Blob([bytes]), weightsFile());
    } catch (error) {
      failed.value = messageOf(error);
    }
  };
  return (
    <p class="fit-row">
      <button type="button" onClick={() => void save()}>
        Save the weights
      </button>
      <span class="hint">{failed.value || weightsFile()}</span>
    </p>
  );
}
