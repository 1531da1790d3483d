import type { RopeReport } from "ropewalk";
import { CopyButton } from "../../components/copy.js";
import { significant, whole } from "../../text/format.js";
import type { Found } from "./checked.js";
import { commandOf } from "./command.js";
import { Light } from "./light.js";
import { markdownOf, plain } from "./markdown.js";
import { listed, signOf } from "./sign.js";

/** Keys of the file stand between backticks. */
const withKeys = (text: string) => text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));

type Outlier = RopeReport["outliers"][number];

/** Readers that read the same and need the same are named together. Why each needs it stands behind a colon. */
function grouped(outliers: readonly Outlier[]): { readers: string[]; outlier: Outlier }[] {
  const groups = new Map<string, { readers: string[]; outlier: Outlier }>();
  for (const outlier of outliers) {
    const [change, why = ""] = outlier.change.split(/(?=: )/);
    const same = JSON.stringify({ ...outlier, reader: "", change });
    const { readers, outlier: first } = groups.get(same) ?? { readers: [], outlier };
    const more = first.change.includes(why) ? "" : why.replace(":", ";");
    groups.set(same, { readers: [...readers, outlier.reader], outlier: { ...first, change: first.change + more } });
  }
  return [...groups.values()];
}

function reach({ firstPair, turnsAtContext, tokensUntilTenthRadian: from }: Outlier["layers"][number]): string {
  if (firstPair < 0) return "Angles agree; attention scaling, pairing, softmax scale or the layers that rotate do not.";
  if (!Number.isFinite(from)) return "No angle is off by 0.1 radian.";
  return `From token ${whole(from)} on an angle is off by 0.1 radian, at the end by up to ${significant(turnsAtContext)} turns.`;
}

/** One reader that differs, or several that do alike: what it reads, from where on it matters, what to do. */
function Differing({ readers, outlier }: { readers: readonly string[]; outlier: Outlier }) {
  const { layers, when, key, change, paste } = outlier;
  const verb = readers.length === 1 ? "reads" : "read";
  const scaled = ({ reads, others }: Outlier["layers"][number], of: "reads" | "others") =>
    reads.magnitude === others.magnitude ? "" : `, attention scaling ${plain({ reads, others }[of].magnitude)}`;
  return (
    <li>
      {layers.map((each) => (
        <p key={each.layerType}>
          <strong>{listed(readers)}</strong> {verb} rule {each.reads.rule} with base {plain(each.reads.base)}
          {scaled(each, "reads")}
          {each.layerType && ` in ${each.layerType} layers`}
          {when && `, in ${when}`}; {listed(each.others.readers)} read rule {each.others.rule} with base{" "}
          {plain(each.others.base)}
          {scaled(each, "others")}. {reach(each)}
        </p>
      ))}
      <p>
        <strong>To do:</strong> {key && <code>{key}</code>}
        {key && ": "}
        {withKeys(change)}.{paste && " Write "}
        {paste && <code>{paste}</code>}
      </p>
    </li>
  );
}

function Said({ report }: Found) {
  const { code, outliers, problems, verdict } = report;
  if (code !== 3 || outliers.length === 0) return <p>{withKeys(verdict)}</p>;
  return (
    <ul>
      {grouped(outliers).map((group) => (
        <Differing key={group.readers.join()} {...group} />
      ))}
      {problems.map(({ key, problem, paste }) => (
        <li key={key}>
          In the file: <code>{key}</code>: {withKeys(problem)}.{paste && " Write "}
          {paste && <code>{paste}</code>}
        </li>
      ))}
    </ul>
  );
}

/** The one answer of the page, ready to be pasted. */
export function Verdict(found: Found) {
  const { report } = found;
  const { light, says } = signOf(report);
  const command = commandOf();
  return (
    <div class={`doctor-verdict ${light}`}>
      <h3 class="doctor-sign" id="doctor-verdict-title">
        <Light of={light} /> {says}
      </h3>
      <div class="check-verdict" data-code={report.code} data-light={light}>
        <Said {...found} />
      </div>
      {report.length && report.readings.length > 0 && (
        <p class="hint">
          Compared at {whole(report.length.tokens)} tokens ({report.length.from}).
        </p>
      )}
      <div class="doctor-take">
        <CopyButton label="Copy as Markdown" text={() => markdownOf(found, command)} />
        <span class="doctor-command">
          <code>{command}</code>
          <CopyButton label="Copy the command" text={() => command} />
        </span>
      </div>
    </div>
  );
}
