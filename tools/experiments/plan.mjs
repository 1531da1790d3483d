// The experiments, as data. An experiment has panels (a task at a length), a panel has arms (one position encoding
// each), an arm has runs (a seed each). Arms of a panel differ in nothing but what their line here says.

import { encodingLabels } from "../../web/training/encoding-labels.mjs";
import { BATCH, smallModel, smallOptimizer, VALIDATION } from "../../web/training/small-model.mjs";

/** Changes whenever the same settings would no longer give the same numbers. */
export const PROTOCOL = 2;

export const MODEL = smallModel("small");

export const TRAINING = {
  batch: BATCH,
  length: 24,
  distance: 0,
  steps: 3000,
  warmup_steps: smallOptimizer.warmupSteps,
  weight_decay: smallOptimizer.weightDecay,
  beta2: smallOptimizer.beta2,
  evaluate_every: 25,
  evaluation_rows: VALIDATION,
  test_rows: 256,
  stop_share: 0.97,
  stop_after: 4,
};

/** Share of its steps for which a run that may end early goes on, while its rate falls to 0. */
export const COOLDOWN = 0.1;

/** Between these a grid of rates grows, by factors of 2, until its best rate is inside it. */
export const RATES = { least: 1.25e-4, most: 6.4e-2 };

/** Share of the way from chance to the best possible accuracy at which a run counts as converged. */
export const CONVERGED = 0.9;

/** The table of learned positions is longer than any sequence it is tested on. */
const longestTest = (panel) => 4 * (panel.length ?? TRAINING.length);

export const encoding = (id, config = {}) => ({
  id,
  label: encodingLabels[id],
  config: { position_encoding: id, ...config },
});

/** ALiBi's slopes are meant for eight heads or more: of two heads none is steep enough to see the nearest token. */
const eightHeads = (id) => ({
  ...encoding(id, { num_attention_heads: 8 }),
  label: `${encodingLabels[id]}, 8 heads`,
});

const ENCODINGS = {
  rope: encoding("rope"),
  receptive: encoding("rope-receptive-field"),
  xl: encoding("transformer-xl"),
  t5: encoding("t5"),
  asymmetric: eightHeads("alibi-asymmetric"),
  alibi: eightHeads("alibi"),
  sinusoidal: encoding("sinusoidal"),
  learned: encoding("learned"),
  none: encoding("none"),
};

/** Frequency rules that a model trained at `length` is tested with at `factor` times that length. */
export function rulesAt(length, factor) {
  const rule = (type, more) => ({ rope_scaling: { rope_type: type, factor, ...more } });
  return {
    default: {},
    linear: rule("linear"),
    ntk: rule("ntk"),
    // It follows the length by itself: its own factor would stretch once more.
    dynamic: { rope_scaling: { rope_type: "dynamic", factor: 1 }, max_position_embeddings: length },
    yarn: rule("yarn", { original_max_position_embeddings: length }),
  };
}

const LONGER = [
  { name: "1x", factor: 1 },
  { name: "2x", factor: 2 },
  { name: "4x", factor: 4 },
];

const allSteps = { stop_after: 0 };

/** Alpha and rho of every head, from where they begin. */
const starts = [
  [0, 0.5],
  [0.5, 0.5],
  [0.5, 0.1],
  [1, 0.25],
];

function receptiveArm([alpha, rho]) {
  return {
    ...ENCODINGS.receptive,
    id: `alpha-${alpha}-rho-${rho}`,
    label: `alpha ${alpha}, rho ${rho}`,
    starts: [
      { tensor: "rotary_alpha", value: alpha },
      { tensor: "rotary_rho", value: rho },
    ],
    watch: ["rotary_alpha", "rotary_rho"],
    // Another start is not another method: the rate is that of the first.
    rateOf: alpha === starts[0][0] && rho === starts[0][1] ? null : `alpha-${starts[0][0]}-rho-${starts[0][1]}`,
  };
}

const { rope, receptive, xl, t5, asymmetric, alibi, sinusoidal, learned, none } = ENCODINGS;

/** An arm that cannot succeed, whatever its rate and its steps: a shorter run at RoPE's rate shows it. */
const byConstruction = (arm) => ({ ...arm, rateOf: rope.id, training: { steps: 1000 }, byConstruction: true });
const bag = byConstruction(none);
const encodings = (symmetric) => [rope, receptive, xl, t5, asymmetric, symmetric, sinusoidal, learned, bag];

/** The same letter stands a period away on either side, or on one: as far as a sequence of this length lets it. */
function farPanel(length, training) {
  return {
    id: `far-${length}`,
    task: "period",
    length,
    distance: length / 2 - 4,
    training: { batch: 1024 / length, steps: 1000, test_rows: 64, ...training },
    // The rates of the shortest, which costs least.
    ratesFrom: length === 64 ? null : "far-64",
    arms: [rope, t5, learned],
  };
}

/** Letters of the generated English, each from those before it: Figure 3 (right) of the paper. */
const causal = (id, label, config) => ({ id, label, config: { is_decoder: true, ...config } });
const CAUSAL_ARMS = [
  causal("performer-learned", "Performer, learned positions", {
    position_encoding: "performer",
    learned_positions: true,
  }),
  causal("performer-learned-rope", "Performer, learned positions and rotation", {
    position_encoding: "rope-performer",
    performer_rotation: "projections",
    learned_positions: true,
  }),
  causal("performer-learned-features", "Performer, learned positions and equation 19", {
    position_encoding: "rope-performer",
    performer_rotation: "features",
    learned_positions: true,
  }),
  causal("softmax-learned", "softmax, learned positions", { position_encoding: "learned" }),
  causal("softmax-rope", "softmax, RoPE", { position_encoding: "rope" }),
];

const HIGHER_RATES = [4e-3, 8e-3, 1.6e-2];
/** Learning rates of stages that continue from an earlier one. */
const LATER_RATES = [2e-3, 4e-3, 8e-3];

const charactersPanel = (id, arms, training, more) => ({
  id,
  task: "characters",
  length: 64,
  training: { ...allSteps, evaluate_every: 50, test_rows: 64, ...training },
  arms,
  ...more,
});

// So few steps want rates above those of the race.
const causalPanel = (arms, training) => charactersPanel("characters", arms, training, { rates: HIGHER_RATES });

/** Pre-trained as masked language models, then fine-tuned: Table 2 of the paper. */
const fineTuning = (pretraining, training) => [
  {
    id: "pre-training",
    task: "english",
    length: 32,
    rates: HIGHER_RATES,
    training: { ...allSteps, evaluation_rows: 128, evaluate_every: 100, ...pretraining },
    keepsWeights: true,
    arms: [rope, learned],
  },
  ...["acceptability", "coreference", "similarity"].map((task) => ({
    id: task,
    task,
    length: 32,
    from: "pre-training",
    training: { ...allSteps, evaluation_rows: 200, evaluate_every: 50, test_rows: 1000, ...training },
    arms: [rope, learned],
  })),
];

/** The document's stretches, by their first token: where the account that decides may stand. */
const STRETCHES = [
  { name: "1 to 127", distance: 1 },
  { name: "128 to 255", distance: 128 },
  { name: "256 to 511", distance: 256 },
  { name: "512 to 639", distance: 512 },
];

/**
 * Pre-trained in stages of growing length, then matched by sentence vectors of the first tokens: Tables 3 to 5 of the
 * paper. stages: [{ length, batch, steps, rates }]; inputs: [{ length, ratesFrom? }].
 */
function longDocuments(stages, inputs, pretraining, matching) {
  const lengths = stages.map(({ length }) => length);
  const positions = Math.max(...lengths, ...inputs.map(({ length }) => length));
  const stageId = (length) => `stage-${length}`;
  const arms = [rope, learned];
  return [
    ...stages.map(({ length, batch, steps, rates }, i) => ({
      id: stageId(length),
      task: "accounts",
      length,
      rates,
      positions,
      from: i === 0 ? undefined : stageId(lengths[i - 1]),
      keepsWeights: true,
      training: { ...allSteps, batch, steps, evaluation_rows: 32, evaluate_every: 50, test_rows: 64, ...pretraining },
      tests: lengths.map((each) => ({ name: `${each} tokens`, length: each })),
      arms,
    })),
    ...inputs.map(({ length, ratesFrom }) => ({
      id: `input-${length}`,
      task: "matching",
      length,
      ratesFrom,
      positions,
      from: stageId(lengths.at(-1)),
      training: { ...allSteps, batch: 8, evaluation_rows: 64, evaluate_every: 50, test_rows: 128, ...matching },
      tests: [{ name: "anywhere", distance: 0 }, ...STRETCHES],
      arms,
    })),
  ];
}

/** An encoder-decoder in Marian's terms, as Vaswani et al. build theirs; positions enter both self-attentions. */
const TRANSLATOR = {
  d_model: 64,
  ...Object.fromEntries(
    ["encoder", "decoder"].flatMap((side) => [
      [`${side}_layers`, 2],
      [`${side}_attention_heads`, 4],
      [`${side}_ffn_dim`, 256],
    ]),
  ),
  activation_function: "relu",
  // Words begin with a root mean square of 1, beside sines of amplitude 1.
  scale_embedding: true,
  init_std: 0.125,
};

/**
 * From the generated English into the made-up language, Table 1 of the paper: stopped in the middle of learning, and after
 * twice the steps at the same rates.
 */
function translationPanels({ steps, ...training }) {
  const panel = (id, steps, more) => ({
    id,
    task: "translation",
    model: TRANSLATOR,
    length: 16,
    tests: [{ name: "1x" }],
    training: { ...allSteps, batch: 32, evaluation_rows: 256, test_rows: 500, steps, ...training },
    arms: [rope, sinusoidal],
    ...more,
  });
  return [panel("translation", steps), panel("translation-longer", 2 * steps, { ratesFrom: "translation" })];
}

/** Tasks that do not ask for a fixed offset: what followed this letter before, and which bracket is open. */
const structurePanels = (arms, more) =>
  ["induction", "dyck"].map((task) => ({ id: task, task, length: 32, arms, ...more }));

/** Encodings that others proposed since: each beside RoPE on the tasks of the race and on those without an offset. */
const NEWER_ARMS = [rope, ...["pope", "rope-plus-plus", "clipped-rope", "distance-bias"].map((id) => encoding(id))];

const newerPanel = (id, arms, more) => ({ id: `newer-${id}`, task: id, arms, ...more });

/**
 * DroPE: a causal model is trained with rotation, then its rotation is taken out and it goes on for a fifth of the steps.
 * Beside it a model that keeps its rotation, and one that never had any.
 */
function dropePanels({ steps, ...training }) {
  const model = (id, label, position_encoding, more) => ({ ...causal(id, label, { position_encoding }), ...more });
  const without = { position_encoding: "none" };
  const rotated = model("rotated", "RoPE", "rope", { alsoTested: { dropped: without } });
  const never = model("never", "no positions", "none");
  const panel = (id, steps, arms, more) => charactersPanel(id, arms, { ...training, steps }, { rules: true, ...more });
  return [
    panel("drope-trained", steps, [rotated, never], { rates: HIGHER_RATES, keepsWeights: true }),
    panel(
      "drope-recalibrated",
      steps / 5,
      [{ ...rotated, alsoTested: {} }, model("dropped", "RoPE, then none", "none", { begins: "rotated" }), never],
      { rates: LATER_RATES, from: "drope-trained" },
    ),
  ];
}

const englishPanel = (arms, more) => ({ id: "english", task: "english", length: 32, arms, rules: true, ...more });

const linearPanel = (ids, training) => ({
  id: "linear-order",
  task: "order",
  training,
  arms: ids.map((id) => encoding(id)),
});

const receptivePanel = (task, from, training) => ({
  id: `receptive-${task}`,
  task,
  distance: { copy: 4, period: 5 }[task],
  // To the end, so that all have moved for as long.
  training: { ...allSteps, ...training },
  arms: from.map(receptiveArm),
});

const needlePanel = (arms, training) => ({
  id: "needle",
  task: "needle",
  length: 32,
  distance: 30,
  // A sequence asks once, so there are more of them.
  training: { batch: 64, ...training },
  arms,
});

const ENGLISH = { ...allSteps, steps: 1500, evaluation_rows: 128, evaluate_every: 100 };

// Absolute encodings differ much from seed to seed: one seed would choose their rates by luck.
const RACE_GRID = [101, 102, 103];

const experiments = (panels) => Object.entries(panels).map(([id, of]) => ({ id, panels: of }));

export const FULL = {
  name: "full",
  rates: [1e-3, 2e-3, 4e-3],
  grows: true,
  gridSeeds: [101],
  seeds: [1, 2, 3, 4, 5],
  experiments: experiments({
    race: [
      { id: "order", task: "order", gridSeeds: RACE_GRID, arms: encodings(byConstruction(alibi)), rules: true },
      { id: "copy", task: "copy", distance: 4, gridSeeds: RACE_GRID, arms: encodings(alibi), rules: true },
      { id: "period", task: "period", distance: 5, gridSeeds: RACE_GRID, arms: encodings(alibi), rules: true },
    ],
    english: [englishPanel([rope, t5, alibi, learned, sinusoidal, none], { training: ENGLISH, gridSeeds: RACE_GRID })],
    structure: structurePanels([rope, t5, alibi, learned], { training: { steps: 1500 } }),
    newer: [
      newerPanel("order", NEWER_ARMS, { gridSeeds: RACE_GRID }),
      newerPanel("copy", NEWER_ARMS, { distance: 4, gridSeeds: RACE_GRID }),
      newerPanel("period", NEWER_ARMS, { distance: 5, gridSeeds: RACE_GRID }),
      newerPanel("induction", NEWER_ARMS, { length: 32, training: { steps: 1500 } }),
      newerPanel("dyck", NEWER_ARMS, { length: 32, training: { steps: 1500 } }),
      newerPanel("english", NEWER_ARMS, { length: 32, gridSeeds: RACE_GRID, training: ENGLISH }),
    ],
    drope: dropePanels({ steps: 2000 }),
    linear: [
      linearPanel(["rope-linear-attention", "linear-attention", "rope-performer", "performer"], { steps: 2000 }),
    ],
    receptive: ["order", "copy", "period"].map((task) => receptivePanel(task, starts, { steps: 600 })),
    far: [64, 128, 256].map((length) => farPanel(length)),
    needle: [needlePanel([rope, learned], { steps: 3000, evaluate_every: 50 })],
    causal: [causalPanel(CAUSAL_ARMS, { steps: 400 })],
    "fine-tuning": fineTuning({ steps: 2000 }, { steps: 500 }),
    documents: longDocuments(
      [
        { length: 64, batch: 32, steps: 800, rates: HIGHER_RATES },
        { length: 128, batch: 16, steps: 200, rates: LATER_RATES },
        { length: 256, batch: 8, steps: 200, rates: LATER_RATES },
        { length: 640, batch: 4, steps: 200, rates: LATER_RATES },
      ],
      // The longest chooses for its neighbour, which costs as much.
      [{ length: 128 }, { length: 256 }, { length: 512, ratesFrom: "input-640" }, { length: 640 }],
      {},
      { steps: 250 },
    ),
    translation: translationPanels({ steps: 500, warmup_steps: 100, evaluate_every: 50 }),
  }),
};

/** As the full plan, and small: does the machinery hold, and does what must come out come out? */
export const QUICK = {
  name: "quick",
  rates: [2e-3, 4e-3],
  // So that it takes as long everywhere.
  grows: false,
  gridSeeds: [101],
  seeds: [1, 2],
  experiments: experiments({
    race: [
      { id: "order", task: "order", training: { steps: 400 }, arms: [rope, alibi, learned, none], rules: true },
      { id: "copy", task: "copy", distance: 4, training: { steps: 300 }, arms: [rope, learned], rules: true },
    ],
    english: [englishPanel([rope, learned], { training: { ...allSteps, steps: 150, evaluate_every: 50 } })],
    structure: structurePanels([rope, learned], { training: { steps: 50 } }),
    newer: [newerPanel("order", NEWER_ARMS.slice(0, 2), { training: { steps: 100 } })],
    drope: dropePanels({ steps: 50, warmup_steps: 5, evaluate_every: 10 }),
    linear: [linearPanel(["rope-linear-attention", "linear-attention"], { steps: 150 })],
    receptive: [receptivePanel("order", starts.slice(0, 2), { steps: 100 })],
    far: [{ ...farPanel(64, { steps: 60 }), arms: [rope, learned] }],
    needle: [needlePanel([rope, learned], { steps: 50 })],
    causal: [causalPanel(CAUSAL_ARMS.slice(0, 3), { steps: 30, warmup_steps: 10, evaluate_every: 10 })],
    "fine-tuning": fineTuning(
      { steps: 40, warmup_steps: 10, evaluate_every: 20 },
      { steps: 20, warmup_steps: 10, evaluate_every: 10, test_rows: 100 },
    ),
    documents: longDocuments(
      [
        { length: 32, batch: 8, steps: 20 },
        { length: 64, batch: 4, steps: 20 },
      ],
      [{ length: 64, ratesFrom: "input-128" }, { length: 128 }],
      { warmup_steps: 10, evaluate_every: 10, test_rows: 8 },
      { steps: 10, warmup_steps: 5, evaluate_every: 5, evaluation_rows: 8, test_rows: 8 },
    ),
    translation: translationPanels({
      steps: 20,
      warmup_steps: 10,
      evaluate_every: 10,
      evaluation_rows: 32,
      test_rows: 20,
    }),
  }),
};

/** The config.json of an arm, without `vocab_size`, which the task knows. */
function configText(panel, arm, more = {}) {
  const model = panel.model ?? { ...MODEL, max_position_embeddings: panel.positions ?? longestTest(panel) };
  return JSON.stringify({ ...model, ...arm.config, ...more });
}

function testsOf(panel, arm) {
  const length = panel.length ?? TRAINING.length;
  const distance = panel.distance ?? TRAINING.distance;
  if (panel.tests) return panel.tests.map((test) => ({ length, distance, config: "", ...test }));
  const tests = [];
  for (const { name, factor } of LONGER) {
    if (factor === 4 && !panel.rules) continue;
    const rotates = arm.config.position_encoding === "rope";
    const rules = {
      ...(panel.rules && rotates && factor > 1 ? rulesAt(length, factor) : { default: {} }),
      ...arm.alsoTested,
    };
    for (const [rule, more] of Object.entries(rules)) {
      const config = rule === "default" ? "" : configText(panel, arm, more);
      const test = rule === "default" ? name : `${name} ${rule}`;
      tests.push({ name: test, length: factor * length, distance, config });
    }
  }
  return tests;
}

/** The settings of one run for ropewalk_experiments, without its key. */
export function settingsOf(panel, arm, rate, seed) {
  const { batch, length, distance, ...rest } = { ...TRAINING, ...panel.training, ...arm.training };
  return {
    protocol: PROTOCOL,
    task: panel.task,
    distance: panel.distance ?? distance,
    seed,
    config: configText(panel, arm),
    starts: arm.starts ?? [],
    learning_rate: rate,
    batch,
    length: panel.length ?? length,
    ...rest,
    cooldown_steps: Math.round(COOLDOWN * rest.steps),
    tests: testsOf(panel, arm),
    watch: arm.watch ?? [],
  };
}
