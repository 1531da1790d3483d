// Made by `npm run generate` from the tables of options in cpp/src. Do not edit.

/** The frequencies theta_j, in radians per position, and the magnitude of cos and sin: one type per rule. */
export type Frequencies =
  /**
   * theta_j = base^(-2j/d). Frequencies fall by a constant ratio from pair to pair. Source: RoFormer, arXiv 2104.09864,
   * section 3.2.2.
   */
  | {
      type: "default";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
    }
  /**
   * theta_j = base^(-2j/d) / factor. Position interpolation: every pair is slowed down alike, also those that tell
   * neighbours apart. Source: arXiv 2306.15595.
   */
  | {
      type: "linear";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** How many times longer the context becomes. At least 1. */
      factor: number;
    }
  /**
   * theta_j = b^(-2j/d), b = base * factor^(d/(d-2)). A larger base: the fastest pair keeps its frequency, the slowest
   * is divided by the factor. Source: bloc97, 2023.
   */
  | {
      type: "ntk";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** How many times longer the context becomes. At least 1. */
      factor: number;
    }
  /**
   * theta_j = (base * factor)^(-2j/d) * factor^(-2/d). A larger base and a divisor for all pairs: the slowest is
   * divided by the factor, and the fastest changes as well. Source: Su Jianlin, 2023, as GTE.
   */
  | {
      type: "ntk-su";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** How many times longer the context becomes. At least 1. */
      factor: number;
    }
  /**
   * theta_j = base^(-2j/d) / exp(a (j + 1)^mixedB), a = ln(factor) / (d/2)^mixedB. Every pair is divided by more than
   * the one before, the slowest by the factor. The exponent says how evenly. Source: Su Jianlin, 2023, as GTE.
   */
  | {
      type: "ntk-mixed";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** How many times longer the context becomes. At least 1. */
      factor: number;
      /** How unevenly the pairs are divided; 1 is 'ntk-su', GTE takes 0.625. Above 0. */
      mixedB: number;
    }
  /**
   * theta_j as 'ntk', whose factor is factor * L / maxPositions - (factor - 1) for L = max(sequenceLength,
   * maxPositions). NTK-aware scaling whose factor follows the sequence length. Nothing changes up to the trained
   * length. Source: emozilla, 2023.
   */
  | {
      type: "dynamic";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** How many times longer the context becomes. At least 1. */
      factor: number;
      /** Positions of the context that the model was trained on. At least 1. */
      maxPositions: number;
      /** Tokens of the sequence that is rotated. At least 0. */
      sequenceLength: number;
    }
  /**
   * theta_j = base^(-2j/d) (1 - ramp_j + ramp_j / factor). Pairs that turned often in training keep their frequency,
   * those that never did are divided by the factor, and those in between are blended. Scores are scaled as well.
   * Source: YaRN, arXiv 2309.00071.
   */
  | {
      type: "yarn";
      /** The base of the powers. Above 1. Default 10000. */
      base?: number | undefined;
      /** How many times longer the context becomes. At least 1. */
      factor: number;
      /** Positions of the context that the model was trained on. At least 1. */
      originalMaxPositions: number;
      /** A pair that turns more often than this within the original length is kept. Default 32. */
      betaFast?: number | undefined;
      /**
       * A pair that turns less often than this within the original length is divided by the factor. Above 0. Default 1.
       */
      betaSlow?: number | undefined;
      /** The magnitude, instead of the one that the factor gives. Above 0. Default: by factor. */
      attentionFactor?: number | undefined;
      /**
       * With mscaleAllDim: the magnitude is (0.1 mscale ln(factor) + 1) / (0.1 mscaleAllDim ln(factor) + 1). At least
       * 0. Default: none.
       */
      mscale?: number | undefined;
      /** See mscale. At least 0. Default: none. */
      mscaleAllDim?: number | undefined;
      /** Rounds the ends of the ramp outwards to whole pairs. Default true. */
      truncate?: boolean | undefined;
    }
  /**
   * theta_j = base^(-2j/d) / divisor_j. Every pair has a divisor of its own, found by search: the short ones up to the
   * original length, the long ones beyond. Source: LongRoPE, arXiv 2402.13753.
   */
  | {
      type: "longrope";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** The divisors up to the original length. Above 0. */
      shortFactor: ArrayLike<number>;
      /** The divisors beyond the original length. Above 0. */
      longFactor: ArrayLike<number>;
      /** Positions of the context that the model was trained on. At least 2. */
      originalMaxPositions: number;
      /** Tokens of the sequence that is rotated. At least 0. */
      sequenceLength: number;
      /**
       * How far the context was extended: the magnitude is sqrt(1 + ln(factor) / ln(originalMaxPositions)). Above 0.
       * Default: none.
       */
      factor?: number | undefined;
      /** The magnitude, instead of the one that the factor gives. Above 0. Default: by factor. */
      attentionFactor?: number | undefined;
    }
  /** Keeps short wavelengths, stretches long ones by the factor, and blends in between. Source: Llama 3.1. */
  | {
      type: "llama3";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** How many times longer the context becomes. At least 1. */
      factor: number;
      /** A pair that turns less often than this within the original length is divided by the factor. Above 0. */
      lowFrequencyFactor: number;
      /** A pair that turns more often than this within the original length is kept. */
      highFrequencyFactor: number;
      /** Positions of the context that the model was trained on. At least 1. */
      originalMaxPositions: number;
    }
  /**
   * theta_j = base^(-2j/D) / factor for the first pairs, 0 for the others, D the head dimension. Only the first pairs
   * rotate. The others stand still and can carry meaning at every distance. Source: p-RoPE, arXiv 2410.06205, as Gemma.
   */
  | {
      type: "proportional";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** The part of the head's pairs that rotates. Above 0, at most 1. */
      fraction: number;
      /** Divides the frequencies. Above 0. Default 1. */
      factor?: number | undefined;
    }
  /**
   * theta*_j = alpha / 10000^rho + (1 - alpha) base^(-2j/d). All pairs share a frequency with weight alpha: how far a
   * head looks becomes two numbers, which may differ from head to head.
   */
  | {
      type: "receptive-field";
      /** The base of the powers. Above 0. Default 10000. */
      base?: number | undefined;
      /** The weight of the shared frequency. From 0 to 1. */
      alpha: number | ArrayLike<number>;
      /** The shared frequency is 10000^-rho radians per position. From 0 to 64. */
      rho: number | ArrayLike<number>;
    }
  /** theta_j as given. Explicit frequencies: d/2 of them, or heads * d/2 for frequencies of each head's own. */
  | {
      type: "custom";
      /** Radians per position. */
      frequencies: ArrayLike<number>;
      /** Multiplies cos and sin. Not 0. Default 1. */
      magnitude?: number | undefined;
    };
