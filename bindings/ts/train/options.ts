// Made by `npm run generate` from the tables of options in cpp/src. Do not edit.

import type { Pooling } from "../model/encoder-output.js";

/**
 * The objective that the loss measures. A causal language model predicts each token from those before it: the
 * configuration of a RoFormer needs `is_decoder: true`. Regression is the classification head of a configuration with
 * one label, under the mean squared error. The contrastive objective trains sentence vectors from pairs of texts.
 */
export type Objective =
  | "masked-language-model"
  | "classification"
  | "regression"
  | "causal-language-model"
  | "contrastive";

/**
 * AdamW (Loshchilov and Hutter, arXiv 1711.05101, algorithm 2). The rate of step n = 1, 2, ... is learningRate * n /
 * warmupSteps up to warmupSteps. From there it falls linearly to learningRate * endFactor after totalSteps.
 */
export interface OptimizerOptions {
  /** The largest rate of a step. At least 0. Default 0.001. */
  learningRate?: number | undefined;
  /** Decay of the first moment from step to step. From 0, below 1. Default 0.9. */
  beta1?: number | undefined;
  /** Decay of the second moment from step to step. From 0, below 1. Default 0.999. */
  beta2?: number | undefined;
  /** Added to the root of the second moment, which a step is divided by. From 1e-30, below 1. Default 1e-8. */
  epsilon?: number | undefined;
  /**
   * Decoupled from the gradient. Matrices decay, biases and the parameters of norms do not. At least 0. Default 0.01.
   */
  weightDecay?: number | undefined;
  /** The gradient of all parameters together is shortened to this length. 0: never. At least 0. Default 1. */
  clipNorm?: number | undefined;
  /** Steps until the rate is the largest. A whole number from 0 to 2^53 - 1. Default 0. */
  warmupSteps?: number | undefined;
  /**
   * Steps until the rate has fallen to its end. 0: it does not fall. Otherwise at least warmupSteps. A whole number
   * from 0 to 2^53 - 1. Default 0.
   */
  totalSteps?: number | undefined;
  /** The share of learningRate that is left after totalSteps, as PyTorch's LinearLR has it. From 0 to 1. Default 0. */
  endFactor?: number | undefined;
}

/**
 * InfoNCE (van den Oord et al., arXiv 1807.03748, equation 4) over the pairs of a batch: the cross-entropy of each
 * anchor's own positive among the positives of the batch, with the cosine of two sentence vectors, divided by the
 * temperature, as the logit.
 */
export interface ContrastiveOptions {
  /** Divides the cosines. The smaller it is, the more the nearest negatives count. From 0.001 to 1000. Default 0.05. */
  temperature?: number | undefined;
  /**
   * True if the loss is the mean of both directions: the positive of each anchor, and the anchor of each positive
   * (CLIP, arXiv 2103.00020). Default true.
   */
  symmetric?: boolean | undefined;
  /** How the hidden states of a sequence become its vector. Use the model with the same. Default 'mean'. */
  pooling?: Pooling | undefined;
}

/** How a model is trained. */
export interface TrainingOptions {
  /** Seed of the initial weights and of dropout. A whole number from 0 to 2^53 - 1. Default 0. */
  seed?: number | undefined;
  /**
   * The objective that the loss measures. A causal language model predicts each token from those before it: the
   * configuration of a RoFormer needs `is_decoder: true`. Regression is the classification head of a configuration with
   * one label, under the mean squared error. The contrastive objective trains sentence vectors from pairs of texts.
   * Default 'masked-language-model'.
   */
  objective?: Objective | undefined;
  /** How a step follows from a gradient. */
  optimizer?: OptimizerOptions | undefined;
  /** For the contrastive objective alone. */
  contrastive?: ContrastiveOptions | undefined;
}

/**
 * Small tasks that need word order. Every one is a masked language model's.
 *
 * - order: Each [MASK] asks whether the letter on its left comes before the one on its right.
 * - copy: Each marker, such as -3, asks for the letter so many places before or after it. `distance` from 1 to 64, default 4.
 * - period: A pattern of letters repeats; each [MASK] asks for the letter that the pattern has there. `distance` from 1 to 256, default 5.
 * - induction: The letter before each [MASK] occurred once before: which letter followed it then?
 * - dyck: Brackets of two kinds are balanced; each [MASK] closes one of them: of which kind?
 * - needle: The key before the last [MASK] occurred once, far back: which letter followed it there? `distance` from 4 to 4096, default 16.
 * - markov: A fixed table gives each letter from the two before it, 9 times in 10; which are the hidden ones?
 * - english: Generated texts of who did what to whom: which words are hidden?
 */
export type TaskName = "order" | "copy" | "period" | "induction" | "dyck" | "needle" | "markov" | "english";

/** A task and its settings. */
export interface TaskOptions {
  /** Name of the task. Default 'order'. */
  name?: TaskName | undefined;
  /** How far the tasks copy, period and needle look. 0: the task's default. The others have no distance. Default 0. */
  distance?: number | undefined;
  /** Seed of everything random in the task. A whole number from 0 to 2^53 - 1. Default 0. */
  seed?: number | undefined;
}
