import type { GatewayErrorStatus } from './gateway-error';

interface ReasonFacts {
  /** The statuses that it comes with. */
  readonly statuses: readonly GatewayErrorStatus[];
  /** What a program can do about it. */
  readonly act: string;
}

/**
 * What the gateway itself says in `error.details.reason`, in OpenAI's words where it has one:
 * https://platform.openai.com/docs/guides/error-codes. The one list of it:
 * docs/servers.md and the OpenAPI document tell it. Beside these a provider's own code stands there as it
 * told it, for a request that is the caller's to mend.
 */
export const errorReasons = {
  context_length_exceeded: {
    statuses: [400],
    act: 'make the conversation shorter. The message holds "maximum context length", and "prompt is too long" on the messages surface: the words agents look for',
  },
  content_filter: { statuses: [400], act: 'nothing by itself: the provider refuses what is asked' },
  content_policy_violation: { statuses: [400], act: 'nothing by itself: the provider refuses what is asked' },
  unsupported_parameter: {
    statuses: [400],
    act: 'send it again without the fields in `details.unsupported`, or without the one that the message names',
  },
  model_not_found: { statuses: [404], act: 'ask for another one: `GET /v1/models` lists what there is' },
  previous_response_not_found: { statuses: [400], act: 'send the whole conversation' },
  invalid_stream_id: { statuses: [400], act: 'name the stream of a WebSocket by letters, digits, `_`, `-` and `.`' },
  websocket_stream_limit_reached: {
    statuses: [400],
    act: 'use a `stream_id` again that the WebSocket knows, or open another one',
  },
  websocket_connection_limit_reached: { statuses: [400], act: 'open another WebSocket: this one is 60 minutes old' },
  conversation_not_found: {
    statuses: [404],
    act: 'begin a new conversation: that one was removed, or nothing was added to it for 30 days',
  },
  conversation_locked: {
    statuses: [400],
    act: 'send it again in a few seconds: another response of the conversation is being made',
  },
  storage_limit_exceeded: { statuses: [403], act: 'remove kept responses or conversations, or send `store: false`' },
  tokens_per_minute: {
    statuses: [429],
    act: 'wait for `Retry-After`: the key used up its tokens of a minute',
  },
  model_rate_limit: {
    statuses: [429],
    act: "wait for `Retry-After`, or ask another model: the key's limit a minute of this one is used up",
  },
  tokens_reserved: {
    statuses: [429],
    act: 'wait for `Retry-After`: other requests of the key hold what is left of its quota',
  },
  quota_exhausted: { statuses: [429], act: "stop: the month's quota is used up" },
  budget_reserved: {
    statuses: [429],
    act: 'wait for `Retry-After`: other requests hold what is left of the budget in `details.budget`',
  },
  budget_exhausted: {
    statuses: [429],
    act: 'stop: the budget in `details.budget` is used up until `details.resets_at`, or for good where that is null',
  },
  budget_exceeded: {
    statuses: [400],
    act: 'make the request shorter, or lower its limit of output tokens: it may cost more than the whole budget in `details.budget`',
  },
  own_key_refused: {
    statuses: [401, 403, 404],
    act: 'stop: the provider refused the key that your account brought for it, or it cannot be used. An owner of the account replaces or removes it',
  },
  own_key_limited: {
    statuses: [429],
    act: 'wait for `Retry-After`: the provider limits the key that your account brought for it',
  },
  insufficient_scope: { statuses: [403], act: 'ask with an admin token that has the scope that the message names' },
  idempotency_key_reused: {
    statuses: [409],
    act: 'take a new `Idempotency-Key`: the one that was sent stands for another request',
  },
  idempotency_answer_lost: {
    statuses: [409],
    act: 'look at what is there: it was done, and its answer was sealed under a pepper that is not used any more',
  },
} as const satisfies Readonly<Record<string, ReasonFacts>>;

export type ErrorReason = keyof typeof errorReasons;
