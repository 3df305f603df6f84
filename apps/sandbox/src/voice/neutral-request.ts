/** A tool as a request offers it. `schema`: the JSON schema of its arguments, whatever came. */
export interface OfferedTool {
  name: string;
  schema: unknown;
}

/** What a simulated model must know of a request, in whatever format it came. */
export interface NeutralRequest {
  /** The model's name as it was sent, controls and all. */
  model: string;
  stream: boolean;
  /** The last words of the user. */
  userText: string;
  /** Rounds of tool results since then, each with its texts. */
  resultRounds: readonly (readonly string[])[];
  tools: readonly OfferedTool[];
  toolChoice: 'none' | 'auto' | 'required' | { name: string };
  /** The model is asked to think, and to show it. */
  reasons: boolean;
  /** A JSON schema that the answer must follow; null: none. */
  schema: unknown;
  /** Null: no limit. */
  maxTokens: number | null;
  stops: readonly string[];
  /** Everything that counts as input, as one text. */
  inputText: string;
  /** Input tokens that a cache would give, because the request marks a prefix. */
  isCached: boolean;
}

/** A request that the real API would refuse. `type` is the word of the dialect's error, `param` the field at fault. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly type: string | null = null,
    readonly param: string | null = null,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** @throws Refusal with `what` unless it holds. */
export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Refusal(what);
}
