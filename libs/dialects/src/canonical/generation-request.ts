import type { DialectName } from '@tollgate/contracts';
import type { WebSearch } from './web-search';

/**
 * The canonical generation: the superset that every surface is read into and every provider dialect is
 * written from. N + M translations, never N x M.
 * Absent means the caller did not say; nothing here is a default.
 */
export interface CanonicalRequest {
  /** The dialect that the caller spoke: `extra` is in its words. */
  surface: DialectName;
  stream: boolean;
  messages: CanonicalMessage[];
  tools?: ToolDefinition[];
  /** The provider may search the web for the answer, by itself. */
  webSearch?: WebSearch;
  /** The model may write programs that the provider runs for the answer. */
  codeExecution?: true;
  toolChoice?: ToolChoice;
  /** False: at most one tool call in an answer. */
  parallelToolCalls?: boolean;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  seed?: number;
  /** How many alternative answers. */
  choices?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  /**
   * Log probabilities of the output tokens, with this many alternatives for each (0: only the chosen token).
   */
  logprobs?: { top: number };
  responseFormat?: ResponseFormat;
  reasoning?: ReasoningSetting;
  /** The caller's own name for its end user, and its labels. */
  user?: string;
  metadata?: Record<string, string>;
  /**
   * Top-level fields of the surface that the canonical form does not name, verbatim. A provider codec may
   * take some of them (`takesExtra`); the others are dropped with a warning.
   */
  extra?: Record<string, unknown>;
  /**
   * Paths of nested fields of the caller's body that the canonical form cannot hold, such as
   * `messages[0].foo`. They are dropped, and the caller is told.
   */
  unread: string[];
  /**
   * What reading the request left out although it is known, such as tools that run at a provider: in whole
   * sentences for the caller.
   */
  lost?: string[];
}

/** system and developer messages may stand anywhere; tool results stand in `tool` messages. */
export interface CanonicalMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  name?: string;
  parts: MessagePart[];
}

/** Marks the end of a prefix that the provider should cache; `ttl` absent means its default (5 minutes). */
export interface CacheControl {
  ttl?: '5m' | '1h';
}

export type MessagePart = (
  | TextPart
  | ImagePart
  | FilePart
  | AudioPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  | RefusalPart
) & {
  cacheControl?: CacheControl;
};

export interface TextPart {
  type: 'text';
  text: string;
}

/** `data` is base64. Exactly one source. `detail` is OpenAI's resolution hint. */
export interface ImagePart {
  type: 'image';
  source: MediaSource;
  detail?: 'auto' | 'low' | 'high' | 'original';
}

/** A document (PDF, plain text). */
export interface FilePart {
  type: 'file';
  source: MediaSource;
  filename?: string;
}

export interface AudioPart {
  type: 'audio';
  source: MediaSource;
}

export type MediaSource =
  | { kind: 'data'; mediaType: string; data: string }
  | { kind: 'url'; url: string; mediaType?: string }
  /** A file that was uploaded to the provider of `dialect`: no other provider can read it. */
  | { kind: 'file-id'; id: string; dialect: DialectName };

/** `arguments` is the JSON text as the model wrote it, not parsed: it may be empty or broken. */
export interface ToolCallPart {
  type: 'tool-call';
  id: string;
  name: string;
  arguments: string;
  /** A provider's seal on this call that must come back with it (Gemini's thought signature). */
  signature?: ReasoningSeal;
}

export interface ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  /** The tool's name where the surface tells it; Gemini needs it, and it can be found from the call. */
  toolName?: string;
  content: (TextPart | ImagePart | FilePart)[];
  isError?: boolean;
}

/** What a model thought. `text` may be empty where only a sealed form exists. */
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  /** Id of the item on the responses dialect. */
  id?: string;
  /**
   * The provider's seal: an Anthropic signature, redacted thinking, encrypted reasoning content, a Gemini
   * thought signature.
   */
  seal?: ReasoningSeal;
}

/**
 * Opaque proof that only the provider which made it can read; sent back unchanged to the same dialect and
 * left out for any other.
 */
export interface ReasoningSeal {
  dialect: DialectName;
  kind: 'signature' | 'redacted' | 'encrypted';
  value: string;
  /** The id of the provider that alone can read it; absent: every provider of the dialect can. */
  madeBy?: string;
}

interface RefusalPart {
  type: 'refusal';
  text: string;
}

/**
 * `parameters` is a JSON schema; absent: the tool takes none. `strict`: arguments must follow the schema
 * exactly.
 */
export interface ToolDefinition {
  name: string;
  description?: string;
  parameters?: Record<string, unknown>;
  strict?: boolean;
  cacheControl?: CacheControl;
  /**
   * The caller has it as a tool of free text, for a dialect that knows such, too; absent: it is a function.
   * `format` in the form of responses.
   */
  freeText?: { description?: string; format?: Record<string, unknown> };
}

/** web-search: the provider must search before it answers. */
export type ToolChoice =
  | { type: 'none' }
  | { type: 'auto' }
  | { type: 'required' }
  | { type: 'tool'; name: string }
  | { type: 'web-search' };

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json-object' }
  | { type: 'json-schema'; name: string; description?: string; schema: Record<string, unknown>; strict?: boolean };

/**
 * effort: a named level; budget: tokens; off: the caller asked for none. `summary`: the caller wants to read
 * the reasoning.
 */
export interface ReasoningSetting {
  effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  budgetTokens?: number;
  off?: boolean;
  /** The model decides how much to think (Anthropic's adaptive thinking). */
  adaptive?: boolean;
  summary?: 'auto' | 'concise' | 'detailed' | 'none';
}
