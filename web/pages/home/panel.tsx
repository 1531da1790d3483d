import { useEffect } from "preact/hooks";
import { show } from "../../state/address.js";
import { messageOf } from "../../text/message.js";
import { askModel } from "./answers.js";
import { startDemo } from "./demo.js";

/** So long the page has been shown when the model is fetched: what is first seen does not wait for it. */
const PATIENCE = 500;

/** Hands the pasted text to the page that reads it. */
function checkConfig(event: SubmitEvent): void {
  event.preventDefault();
  const config = (document.getElementById("home-config") as HTMLTextAreaElement).value;
  show("doctor", { config });
}

async function runExample(): Promise<void> {
  const output = document.getElementById("home-printed")!;
  try {
    const { runLines } = await import("./run-lines.js");
    output.textContent = await runLines();
  } catch (error) {
    output.textContent = messageOf(error);
  }
}

/** Everything of this page stands in its HTML (prose.html): it is there before any script, which makes it answer. */
export default function HomePage() {
  useEffect(() => {
    const endDemo = startDemo();
    const form = document.getElementById("home-check") as HTMLFormElement;
    const run = document.getElementById("home-run")!;
    form.addEventListener("submit", checkConfig);
    run.addEventListener("click", runExample);
    // Recorded answers stay where the model cannot be had.
    const asking = setTimeout(() => void askModel().catch(() => {}), PATIENCE);
    return () => {
      endDemo();
      clearTimeout(asking);
      form.removeEventListener("submit", checkConfig);
      run.removeEventListener("click", runExample);
    };
  }, []);
  return <span class="alive" hidden />;
}
