/** A tool as a request offers it. `schema`: the JSON schema of its arguments, whatever came. */
export interface OfferedTool {
  name: string;
  schema: unknown;
}

export type WantedTool = 'none' | 'auto' | 'required' | { name: string };

/**
 * What an answer may cite: a document of the request (`index`: its place among them), or a page of the web,
 * which has an address.
 */
export interface Source {
  index: number;
  id: string;
  title: string;
  text: string;
  url: string | null;
}

/** What every search of the web finds. */
export const webPage: Source = {
  index: 0,
  id: 'web-0',
  title: 'Example Domain',
  text: 'This domain is for use in examples.',
  url: 'https://example.com/',
};

/** Tools that a provider runs by itself. It tells each use in the answer, and charges for most of them. */
export type HostedTool =
  | 'webSearch'
  | 'webFetch'
  | 'xSearch'
  | 'fileSearch'
  | 'codeSession'
  | 'codeExecution'
  | 'imageGeneration';

/**
 * A sampling beside the one that gives the answer: an earlier one of the same model, one of a model that it
 * asked, or one that shortens the conversation. Tokens.
 */
export interface Sampling {
  kind: 'message' | 'advisor_message' | 'compaction';
  model: string;
  inputTokens: number;
  outputTokens: number;
}

export interface SeenTokens {
  image: number;
  video: number;
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
  toolChoice: WantedTool;
  /** False: at most one call at a time. */
  takesParallelCalls: boolean;
  /** The model is asked to think, and to show it. */
  reasons: boolean;
  /** A JSON schema that the answer must follow; null: none. */
  schema: unknown;
  /** Null: no limit. */
  maxTokens: number | null;
  stops: readonly string[];
  choices: number;
  /** How many alternatives each token's log probability has; null: no log probabilities. */
  topLogprobs: number | null;
  sources: readonly Source[];
  /** Everything that the answer depends on. */
  inputText: string;
  inputTokens: number;
  /** Of the input tokens, those of sound; absent: none. */
  audioInputTokens?: number;
  /** Of the input tokens, those of pictures and films that the provider tells apart; absent: none. */
  seen?: SeenTokens;
  /** Its texts are spoken; absent: they are written. */
  speaks?: boolean;
  /** The parts of the input that a prompt cache keeps, in their order; null: no cache is asked for. */
  cached: readonly string[] | null;
  /**
   * How many of these parts, from the first one on, are kept for the provider's longer time (hours) and not
   * for its shorter one (minutes); absent: none.
   */
  cachedForHours?: number;
  /** True where what a cache takes is neither told nor charged apart from other input; absent: it is. */
  writesForNothing?: boolean;
  /** What the thoughts of the answer are bound to: nothing where it is null or absent. */
  boundTo?: string | null;
  /** The words of tier, speed and region that serve it, where they are not the usual ones. */
  served?: readonly string[];
  /**
   * The tier that serves it, where the provider decides that by what the account has bought; absent: `served`
   * says it.
   */
  boughtTier?: string | null;
  /** Which tools of its own the provider uses, each once, before it writes a text; absent: none. */
  hosted?: readonly HostedTool[];
  /**
   * Uses of what else is charged where a text is written: what a search brought, tokens of a model that makes
   * images; absent: nothing.
   */
  fees?: Readonly<Record<string, number>>;
  /** Which samplings come before the one that gives the answer; absent: none. */
  samplings?: readonly Sampling[];
  /** The model that answers at the provider where this one declines; null or absent: none. */
  fallback?: string | null;
  /** The one that answers, since this one declined before it wrote anything; absent: this one. */
  answeredBy?: string;
}

/** What a request does not ask for unless it says so. */
export const unasked = {
  tools: [],
  toolChoice: 'auto',
  takesParallelCalls: true,
  reasons: false,
  schema: null,
  maxTokens: null,
  stops: [],
  choices: 1,
  topLogprobs: null,
  sources: [],
  cached: null,
} satisfies Partial<NeutralRequest>;
