import { z } from 'zod';
import { priceFactors } from './money';
import { errorDetails } from './gateway-error';
import { surfaceName } from './surface';

/** What is asked of a tokenizer: the tokens of a text or a conversation, or the text of tokens. */
export const tokenizerTask = z.enum(['tokenize', 'detokenize']);
export type TokenizerTask = z.infer<typeof tokenizerTask>;

/**
 * What edge tells inference about a generation, beside the caller's original body bytes. It travels as JSON in front of the body.
 * `eventId` is the id of the one usage event. `startedAt` and `deadlineAt` are epoch milliseconds by the clock of whoever holds the request: the hop
 * translates them, since the clocks of two machines differ. `model` is the resolved public model id.
 * `includeUsage`: the caller asked to see the usage chunk. `headers`: request headers of the surface (lower-case names) that a provider of the same dialect needs.
 * `tellUsage`: edge wants the usage event, to tell the caller what it costs. `maxOutputTokens`: the caller's limit, for all its choices together; absent: none.
 * `countTokens`: only the number of input tokens is asked for; nothing is generated, and there is no usage event.
 * `tokenizer`: with `countTokens`, a question to the tokenizer of the model's own server, whose answer passes as it is.
 * `compact`: the conversation is to become shorter, not to go on.
 */
export const generationRequest = z.object({
  requestId: z.string(),
  eventId: z.string(),
  keyId: z.string(),
  accountId: z.string(),
  surface: surfaceName,
  requestedModel: z.string(),
  model: z.string(),
  stream: z.boolean(),
  includeUsage: z.boolean(),
  startedAt: z.number(),
  deadlineAt: z.number(),
  lease: z.string().nullable(),
  traceparent: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  tellUsage: z.boolean().optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  countTokens: z.boolean().optional(),
  tokenizer: tokenizerTask.optional(),
  compact: z.boolean().optional(),
});
export type GenerationRequest = z.infer<typeof generationRequest>;

/** An attempt at a deployment begins: the provider may have been reached from now on. `factors`: of its price there; absent: none. */
export const generationAttempt = z.object({
  number: z.number().int(),
  model: z.string(),
  provider: z.string(),
  deployment: z.string(),
  factors: priceFactors.optional(),
});
export type GenerationAttempt = z.infer<typeof generationAttempt>;

/** The answer begins. `headers` are ready for the caller (content type, x-gateway-*); `status` is the HTTP status. */
export const generationHead = z.object({ status: z.number().int(), headers: z.record(z.string(), z.string()) });
export type GenerationHead = z.infer<typeof generationHead>;

/** Why a generation failed. Every code but the first four comes from the hop itself. */
export const generationFailureCodes = [
  'refused', // the caller's request is at fault (an upstream 400, an unsupported feature)
  'upstream', // the provider failed, after retries and fallbacks
  'timeout', // the provider did not answer in time
  'internal', // a fault of ours
  'cancelled', // the caller left, or its key was revoked
  'slow_reader', // the caller read too slowly for too long
  'overloaded', // no instance accepted the request
  'instance_lost', // the instance fell silent
  'gap', // a frame is missing
  'disconnected', // the connection to NATS was lost
] as const;
export type GenerationFailureCode = (typeof generationFailureCodes)[number];

/** How a generation ended badly: `status` is what the caller sees when nothing was sent yet; `message` is fit for the caller; `guardrail`: the id of the one that refused the answer. */
export const generationFailure = z.object({
  code: z.enum(generationFailureCodes),
  status: z.number().int(),
  message: z.string(),
  retryAfterS: z.number().nullable(),
  guardrail: z.string().optional(),
  details: errorDetails.optional(),
});
export type GenerationFailure = z.infer<typeof generationFailure>;

/** Why inference should stop. Every reason but `failed` is the caller's doing or ours, never the provider's. */
export const cancelReasons = [
  'caller_left',
  'key_revoked',
  'slow_reader',
  'deadline',
  'edge_lost',
  'disconnected',
  'failed',
] as const;
export type CancelReason = (typeof cancelReasons)[number];

export const generationSubjects = {
  /** Where edges ask, one subject a surface; inference instances share the queue group. */
  request: (surface: string) => `inference.generate.${surface}`,
  queue: 'inference',
  /** Where an edge asks every instance at once, after its request was not accepted. */
  offer: (surface: string) => `inference.offer.${surface}`,
  /** Where an instance hears from edges about its streams: body chunks, credit, cancels, heartbeats. */
  control: (instanceId: string) => `inference.control.${instanceId}`,
  /** The one inbox of an edge. */
  frames: (edgeId: string) => `edge.frames.${edgeId}`,
} as const;
