import { z } from 'zod';
import { dialectName } from '../surface';

/** A regular expression, for the names of a provider's models. */
const modelPattern = z.string().refine(isPattern, 'must be a regular expression');

/**
 * A rule of a provider: requests with tools go to `dialect`, which it also speaks, because its main one
 * refuses them, or forgets the reasoning between two turns.
 * `models` is a pattern for the names of models there. `callers` translated: only those who speak neither of
 * the two dialects. `unasked`: also a request that names no effort.
 * `efforts`: also a request without tools that names one of these. `always`: every request, since the main
 * dialect does not have these models.
 */
export const toolsElsewhere = z.object({
  dialect: dialectName,
  models: modelPattern,
  callers: z.enum(['all', 'translated']).default('all'),
  unasked: z.boolean().default(true),
  efforts: z.array(z.string()).default([]),
  always: z.boolean().default(false),
});

/**
 * A further dialect at a path of its own, on the host of the base URL: the key goes nowhere else. `tools` is
 * a pattern for types of tools: only requests of that dialect's callers go there which offer one and which
 * the main dialect cannot say, since everything else loses less in that. Null: every request of that
 * dialect's callers.
 */
export const dialectAt = z.object({
  dialect: dialectName,
  path: z.string().regex(/^\/(?:[\w.~-]+\/)*[\w.~-]+$/, 'a path begins with a slash and ends without one'),
  tools: z.string().refine(isPattern, 'must be a regular expression').nullable().default(null),
});

/**
 * How models whose names fit `models` are told not to think, where the effort `none` tells them nothing: by
 * `thinking: { type: "disabled" }`, by `enable_thinking: false`, or by `reasoning: { enabled: false }`.
 */
const thinkingSwitch = z.object({ models: modelPattern, member: z.enum(['thinking', 'enable_thinking', 'reasoning']) });

/** What is odd about a provider. */
export const providerQuirks = z.object({
  /** How the provider wants the output limit named. Null: both names are accepted as they are. */
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).nullable().default(null),
  /**
   * The most output tokens that chat completions may be asked for without a stream: an answer that may have
   * more is asked for as a stream, and gathered for its caller. Null: as many as with one.
   */
  mostUnstreamed: z.number().int().positive().nullable().default(null),
  /** True when the provider refuses `stream_options` but sends usage in its last chunk by itself. */
  streamsUsageUnasked: z.boolean().default(false),
  /**
   * Top-level request fields that the provider refuses and that are harmless to drop; each drop is told
   * in x-gateway-warnings.
   */
  dropFields: z.array(z.string()).default([]),
  /** The same, of chat completions alone. */
  chatDropFields: z.array(z.string()).default([]),
  /** The same, of chat completions to models that reason. */
  reasonersRefuse: z.array(z.string()).default([]),
  /**
   * True where chat completions and embeddings have a closed schema, so that a field that is not in it is
   * refused also where it is null: such ones are left out.
   */
  refusesNull: z.boolean().default(false),
  /** How embeddings in OpenAI's form call the size of a vector. */
  dimensionsField: z.enum(['dimensions', 'output_dimension']).default('dimensions'),
  /**
   * A pattern for the names of models whose chat completions take no stop sequences; dropping them is
   * told. Null: none of them.
   */
  refusesStop: modelPattern.nullable().default(null),
  /** The same, of models whose chat completions take no labels (`metadata`). */
  refusesMetadata: modelPattern.nullable().default(null),
  /**
   * The most characters of what callers name themselves in OpenAI's dialects (`user`,
   * `safety_identifier`, `prompt_cache_key`): a longer one becomes its digest, which is told. Null: they
   * are sent as they are.
   */
  longestName: z.number().int().min(32).nullable().default(null),
  /** Where the provider wants the reasoning of earlier turns back. Null: it takes none. */
  reasoningField: z.enum(['reasoning_content', 'reasoning_details']).nullable().default(null),
  /**
   * Parts of the names of models that refuse an earlier turn without its `reasoning_content` where tools
   * are offered: a space stands for what a caller did not keep. An empty text is a part of every name.
   */
  insistsOnReasoning: z.array(z.string()).default([]),
  /** Null: the effort `none` tells every model of chat completions here that is told so at all. */
  thinkingSwitch: thinkingSwitch.nullable().default(null),
  /** The highest temperature of chat completions; a higher one becomes this. Null: none is known. */
  highestTemperature: z.number().positive().nullable().default(null),
  /**
   * True where a strict schema must close every object and require all that it may have. One of a caller of
   * messages that does not is not enforced there, which is told.
   */
  closedSchemas: z.boolean().default(false),
  /**
   * A pattern for the names of models whose answers chat completions bind to JSON objects only: a schema
   * is told to them in words. Null: none of them.
   */
  noJsonSchema: modelPattern.nullable().default(null),
  /**
   * The same, of models that refuse a forced tool while they think: they do not think then, or, where
   * they always do, are not forced.
   */
  noForceWhileThinking: modelPattern.nullable().default(null),
  /** The same, of models that take marks for their cache in the parts of chat messages. */
  cacheMarks: modelPattern.nullable().default(null),
  /**
   * The same, of models that know tools of free text (`custom`) in chat completions; others are given
   * them as functions of one string.
   */
  customTools: modelPattern.nullable().default(null),
  /**
   * The header of chat completions by which requests of one conversation, named by their
   * `prompt_cache_key`, come to the server that has its cache. Null: there is none.
   */
  conversationHeader: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'a header is lower-case letters, digits and dashes')
    .nullable()
    .default(null),
  /** Names that no function may have, as tools of the provider's own have them: it is given another one. */
  reservedTools: z.array(z.string()).default([]),
  /**
   * True where the schema of a function must be one of an object that is none of alternatives (`anyOf`,
   * `oneOf`): others are rewritten, and what they say beyond is told in words.
   */
  plainToolRoots: z.boolean().default(false),
  /** Fields of messages and their parts that the provider does not take; each drop is told. */
  dropMessageFields: z.array(z.string()).default([]),
  /**
   * A pattern for the names of models that know no role `developer`: it becomes `system`, which means the
   * same. Null: none of them.
   */
  systemForDeveloper: modelPattern.nullable().default(null),
  /**
   * The same, of models that take tool calls only as Mistral's own servers do: with ids of nine letters
   * and digits, and nobody but the assistant behind their results.
   */
  mistralTurns: modelPattern.nullable().default(null),
  /**
   * The same, of models whose chat completions take the schemas of tools and answers in Moonshot's flavour
   * alone: others are rewritten, and what cannot be said in it is told in words.
   */
  moonshotSchemas: modelPattern.nullable().default(null),
  /**
   * The first that fits is followed. A request that the other dialect cannot say stays with the main one.
   */
  toolsElsewhere: z.array(toolsElsewhere).default([]),
  /**
   * A pattern for the names of models that search the web where a request offers it, in the dialect that
   * has a field for it. Null: none of them.
   */
  webSearch: modelPattern.nullable().default(null),
  /** The same, of models whose programs the provider runs. */
  codeExecution: modelPattern.nullable().default(null),
  /**
   * True where a conversation is compacted at `/responses/compact`.
   * https://platform.openai.com/docs/api-reference/responses/compact
   */
  compacts: z.boolean().default(false),
  /**
   * True where responses know what agents say to each other (`agent_message`): elsewhere it is a message
   * of the user.
   */
  agentMessages: z.boolean().default(false),
  /**
   * True where the provider may keep requests and answers unless a request says that it must not: each
   * one says so.
   */
  keepsUnlessTold: z.boolean().default(false),
  /**
   * True where the dialect of Gemini is spoken as at the Gemini API, with the tier that is to serve a
   * request in its body; Vertex AI takes it in a header.
   */
  takesServiceTier: z.boolean().default(false),
  /**
   * Names in the header `anthropic-beta` that the provider refuses, where Anthropic passes them over;
   * each drop is told.
   */
  dropBetas: z.array(z.string()).default([]),
  /**
   * True where Anthropic's messages are spoken as at Vertex AI: the model stands in the path, and the
   * version in the body.
   */
  modelInPath: z.boolean().default(false),
});

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
