/** The tasks of GLUE (Wang et al., arXiv 1804.07461) as data: which columns, which labels, which metrics. */
import { accuracy } from "./metrics/accuracy.js";
import { f1 } from "./metrics/f1.js";
import { matthews } from "./metrics/matthews.js";
import { pearson } from "./metrics/pearson.js";
import { spearman } from "./metrics/spearman.js";

/** Both of a line each: the label's number and the class found, or the score and the value found. */
export type Metric = (expected: readonly number[], found: readonly number[]) => number;

export const METRICS = { accuracy, f1, matthews, pearson, spearman } as const;
export type MetricName = keyof typeof METRICS;

/** Values of --metric, and their metrics: GLUE gives some in pairs. The first decides which epoch is best. */
export const METRIC_CHOICES = {
  accuracy: ["accuracy"],
  f1: ["f1", "accuracy"],
  matthews: ["matthews", "accuracy"],
  "pearson-spearman": ["pearson", "spearman"],
} as const satisfies Record<string, readonly MetricName[]>;
export type MetricChoice = keyof typeof METRIC_CHOICES;

/** Columns by the name in the header, or by their place in a file that has none. */
export interface Columns {
  label: number | string;
  text: number | string;
  pair?: number | string;
  /** How many there are, in a file without a header. */
  withoutHeader?: number;
}

export interface Task {
  columns: Columns;
  metric: MetricChoice;
  /** From the label in the file to the name of the class, in the order of their numbers; none: a score. */
  labels?: Readonly<Record<string, string>>;
}

const sentences = { text: "sentence1", pair: "sentence2" };
const entailment = { entailment: "entailment", not_entailment: "not_entailment" };

export const TASKS = {
  "sst-2": {
    columns: { label: "label", text: "sentence" },
    metric: "accuracy",
    labels: { 0: "negative", 1: "positive" },
  },
  mrpc: {
    columns: { label: "Quality", text: "#1 String", pair: "#2 String" },
    metric: "f1",
    labels: { 0: "not_equivalent", 1: "equivalent" },
  },
  cola: {
    columns: { label: 1, text: 3, withoutHeader: 4 },
    metric: "matthews",
    labels: { 0: "unacceptable", 1: "acceptable" },
  },
  "sts-b": { columns: { label: "score", ...sentences }, metric: "pearson-spearman" },
  qnli: { columns: { label: "label", text: "question", pair: "sentence" }, metric: "accuracy", labels: entailment },
  rte: { columns: { label: "label", ...sentences }, metric: "accuracy", labels: entailment },
  qqp: {
    columns: { label: "is_duplicate", text: "question1", pair: "question2" },
    metric: "f1",
    labels: { 0: "not_duplicate", 1: "duplicate" },
  },
  mnli: {
    columns: { label: "gold_label", ...sentences },
    metric: "accuracy",
    labels: { entailment: "entailment", neutral: "neutral", contradiction: "contradiction" },
  },
} as const satisfies Record<string, Task>;
export type TaskName = keyof typeof TASKS;
