/**
 * The facts about the rope of each class of models: the rows of the sheet that C++ reads (cpp/src/rope_config/facts.inc) and
 * hands over, which tools/facts/sheet.py writes by running the classes of Transformers.
 */

/** A rule for the layers of one type. */
export interface LayerFacts {
  /** Base where the file says none; without it the file must. */
  readonly base?: number;
  /** Key at the top of older files that stands for it. */
  readonly baseKey?: string;
  /** The head of these layers, where it is not that of the others: its key, and its dimension without it. */
  readonly head?: number;
  readonly headKey?: string;
}

/** One row. The usual is left out. */
export interface Facts extends LayerFacts {
  readonly type: string;
  /** A model that keeps its text model in a part of its own: the type of that part, and nothing else is said. */
  readonly text?: string;
  /** Positions have several axes (images, video), or the class was not run: nothing else is said. */
  readonly axes?: true;
  /** Not a class of Transformers: the checkpoint brings its own code, of which the pairing is known. */
  readonly code?: true;
  /** Release of Transformers that the class came with; older ones have it unless given. */
  readonly since?: number;
  /** "half" unless given. "unknown": the class was run, but not the function that rotates. */
  readonly pairing?: "interleaved" | "unknown";
  /** Rotates by minus the position. */
  readonly backwards?: true;
  /** hidden_size and num_attention_heads of the class, and their other names in files. */
  readonly hidden?: number;
  readonly heads?: number;
  readonly hiddenKey?: string;
  readonly headsKey?: string;
  /** Key of the head dimension, "head_dim" unless given; "": the class has none and takes hidden / heads. */
  readonly headKey?: string;
  /** Head dimension without that key; hidden / heads unless given. */
  readonly head?: number;
  /** The head is so many times hidden / heads. */
  readonly headTimes?: number;
  /**
   * null in the place of the head dimension: "derived" is hidden / heads, "refused" an error, unless given hidden / heads but
   * an error with the rules dynamic, yarn and longrope. "none": as unless given, and the class itself has null.
   */
  readonly nullHead?: "derived" | "refused" | "none";
  /** max_position_embeddings of the class; it has none unless given. */
  readonly positions?: number;
  /** original_max_position_embeddings of the class, which counts before that of a dictionary. */
  readonly original?: number;
  /** Base where the file says none; 10000 unless given. */
  readonly base?: number;
  /** Key of the base at the top, "rope_theta" unless given; "": the class reads none. */
  readonly baseKey?: string;
  /** Share of the head that rotates where the file says none; 1 unless given. */
  readonly share?: number;
  /** As `share`, for the rule that scales nothing where the dictionary of a type of layers says none. */
  readonly plainShare?: number;
  /** As `share`, where the file has a dictionary under the key `rope_parameters`. */
  readonly writtenShare?: number;
  /** Key of the share at the top, "partial_rotary_factor" unless given; "": the class reads none. */
  readonly shareKey?: string;
  /** The rule that scales nothing reads the share; without it only the others do. */
  readonly shareRead?: true;
  /** Key of the rotary dimension itself at the top, and its default. */
  readonly dimensionKey?: string;
  readonly dimension?: number;
  /** Stands in for a missing `rope_parameters`: one dictionary, or one for each type of layers. */
  readonly rope?: Readonly<Record<string, unknown>>;
  /** null in the place of that dictionary: "default" is as if it were missing, else the error. */
  readonly nullRope?: string;
  /** The error that a `rope_scaling` of null raises. */
  readonly nullScaling?: string;
  /** The class keeps no dictionary at all unless the file has one. */
  readonly bare?: true;
  /** Names of rules, separated by spaces, and the error that the class raises for them. */
  readonly refuses?: Readonly<Record<string, string>>;
  /** A key whose array must hold numbers alone; the class itself writes it otherwise. */
  readonly numbers?: string;
  /** A rule for each type of layers. */
  readonly layers?: Readonly<Record<string, LayerFacts>>;
  /** Nothing rotates where a key of the file has this value. */
  readonly stillIf?: Readonly<Record<string, unknown>>;
  /** Nothing rotates unless a key of the file has this value. */
  readonly stillUnless?: Readonly<Record<string, unknown>>;
  /** Every n-th layer does not rotate where the file does not list them. */
  readonly stillEvery?: number;
  /** Layers with full attention do not rotate: "always", or "windowed" where the others have a window. */
  readonly stillFull?: "always" | "windowed";
  /** The rule "dynamic" with a member `alpha` multiplies the base by alpha^(d/(d-2)) at every length. */
  readonly alpha?: true;
  /** Refuses a hidden_size that is not a multiple of num_attention_heads, even beside a head dimension. */
  readonly divides?: true;
  /** An indexer beside the attention rotates too, and may pair otherwise. */
  readonly indexer?: true;
  /** Latent attention, whose softmax scale is multiplied by the square of YaRN's mscale_all_dim. */
  readonly latent?: true;
  /** Types of layers that an old `rope_scaling` for all layers concerns, or the error. */
  readonly scaling?: readonly string[] | string;
  /** Types of layers that a `rope_parameters` for all layers concerns, or the error. */
  readonly flat?: readonly string[] | string;
}

/** The rows, as text with one in each line. */
export class Sheet {
  readonly #rows: string;
  readonly #still: string;

  constructor(text: string) {
    this.#rows = text.trimStart();
    const [head] = this.#rows.split("\n", 1);
    this.#still = ` ${(JSON.parse(head!) as { still: string }).still} `;
  }

  #row(type: string): Facts | undefined {
    const start = this.#rows.indexOf(`{"type":"${type}"`);
    if (start < 0 || !/^[\w.-]+$/.test(type)) return undefined;
    return JSON.parse(this.#rows.slice(start, this.#rows.indexOf("\n", start))) as Facts;
  }

  /** The row of a `model_type`, that of its text model where it has one; undefined for a type that is not in the sheet. */
  of(type: string): Facts | undefined {
    const row = this.#row(type);
    return row?.text === undefined ? row : this.#row(row.text);
  }

  /** True for a `model_type` whose positions are not rotary, or whose class does not rotate as this file says. */
  isStill(type: string, config: Readonly<Record<string, unknown>>): boolean {
    if (type !== "" && this.#still.includes(` ${type} `)) return true;
    const { stillIf = {}, stillUnless = {} } = this.of(type) ?? {};
    const has = ([key, value]: [string, unknown]) => config[key] === value;
    return Object.entries(stillIf).some(has) || !Object.entries(stillUnless).every(has);
  }
}
