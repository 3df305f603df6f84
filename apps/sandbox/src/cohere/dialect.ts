import type { PlannedAnswer, PlannedBlock, ToolCallBlock, TextBlock } from '../answer/planned-answer';
import { Refusal } from '../request/refusal';
import type {
  Dialect,
  ErrorReply,
  Spoken,
  SpokenStep,
  SpokenStream,
  WrittenError,
  SpokenUsage,
} from '../speech/simulated-dialect';
import { readCohereChat } from './read-cohere-chat';
import { logprobOf } from '../answer/logprobs';
import { textOf, type Piece } from '../answer/pieces';

/** https://docs.cohere.com/reference/errors */
const messages: Readonly<Record<number, string>> = {
  400: 'invalid request: the request was refused by the sandbox',
  401: 'invalid api token',
  402: 'please add or update your payment method to continue',
  404: 'model not found, make sure the correct model ID was used and that you have access to the model.',
  429: 'You have exceeded your rate limit. Please try again later.',
  498: 'Invalid token',
  499: 'request cancelled by user',
  500: 'internal server error',
  503: 'the service is overloaded, please try again later',
  504: 'gateway timeout',
};

/**
 * Cohere's chat, version 2. https://docs.cohere.com/reference/chat
 * https://docs.cohere.com/reference/chat-stream
 */
export const cohere: Dialect = {
  name: 'cohere',
  paths: [{ path: '/chat', stream: null }],
  streamType: 'text/event-stream',
  overloadedStatus: 503,
  read: readCohereChat,
  plain,
  stream: chatStream,
  error: writeCohereError,
  tooLong: cohereTooLong,
  errorInStream: (message) =>
    event('message-end', { id: 'sandbox', delta: { error: message, finish_reason: 'ERROR' } }),
  malformed: () => 'event: content-delta\ndata: {"type":"content-delta","index":0,"del\n\n',
};

function plain({ choices, newId, request, usage }: Spoken): string {
  const [answer] = choices;
  const texts = answer.blocks.flatMap((block) => (block.type === 'text' ? block.pieces : []));
  return JSON.stringify({
    id: newId(),
    finish_reason: finishReasons[answer.finish],
    message: messageOf(answer),
    ...usageOf(usage),
    ...(request.topLogprobs !== null && { logprobs: texts.map(logprobItem) }),
  });
}

function writeCohereError({ status, message }: ErrorReply): WrittenError {
  const told = message ?? messages[status] ?? `The sandbox was told to answer ${status}.`;
  return { body: JSON.stringify({ id: 'sandbox', message: told }) };
}

/** The prompt holds more than the model takes. */
function cohereTooLong(inputTokens: number): Refusal {
  return new Refusal(
    `too many tokens: size limit exceeded by ${inputTokens} tokens. Try using shorter or fewer inputs, or setting prompt_truncation='AUTO'.`,
  );
}

type Json = Record<string, unknown>;

/** https://docs.cohere.com/v2/docs/streaming */
function chatStream({ choices, newId, request, usage }: Spoken): SpokenStream {
  const [answer] = choices;
  const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
  return {
    opening: event('message-start', { id: newId(), delta: { message } }),
    steps: stepsOf(answer, request.topLogprobs !== null),
    closing: () => event('message-end', { delta: { finish_reason: finishReasons[answer.finish], ...usageOf(usage) } }),
  };
}

function event(type: string, members: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

/** Contents and calls are numbered apart. */
function* stepsOf({ blocks }: PlannedAnswer, hasLogprobs: boolean): Generator<SpokenStep> {
  let contents = 0;
  let calls = 0;
  for (const block of blocks) {
    if (block.type !== 'tool-call') yield* contentSteps(block, contents++, hasLogprobs);
    else {
      if (calls === 0)
        yield { bytes: event('tool-plan-delta', { delta: { message: { tool_plan: toolPlan } } }), tokens: 0 };
      yield* callSteps(block, calls++);
    }
  }
}

function* contentSteps(
  block: Exclude<PlannedBlock, ToolCallBlock>,
  index: number,
  hasLogprobs: boolean,
): Generator<SpokenStep> {
  const type = block.type === 'reasoning' ? 'thinking' : 'text';
  const content = (members: Json) => ({ index, delta: { message: { content: members } } });
  const isHidden = block.type === 'reasoning' && block.isRedacted;
  yield { bytes: isHidden ? '' : event('content-start', content({ type, [type]: '' })), tokens: 0 };
  for (const piece of block.pieces) {
    const logprobs = hasLogprobs && type === 'text' ? { logprobs: logprobItem(piece) } : {};
    const delta = event('content-delta', { ...content({ [type]: piece.text }), ...logprobs });
    yield { bytes: isHidden ? '' : delta, tokens: piece.tokens };
  }
  for (const [at, citations] of block.type === 'text' ? citationsOf(block, index).entries() : []) {
    const begun = event('citation-start', { index: at, delta: { message: { citations } } });
    yield { bytes: begun + event('citation-end', { index: at }), tokens: 0 };
  }
  yield { bytes: isHidden ? '' : event('content-end', { index }), tokens: 0 };
}

function* callSteps(block: ToolCallBlock, index: number): Generator<SpokenStep> {
  const call = (type: string, members: Json) => event(type, { index, delta: { message: { tool_calls: members } } });
  yield { bytes: call('tool-call-start', callOf(block, '')), tokens: block.nameTokens };
  for (const { text, tokens } of block.pieces)
    yield { bytes: call('tool-call-delta', { function: { arguments: text } }), tokens };
  yield { bytes: event('tool-call-end', { index }), tokens: 0 };
}

const finishReasons = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  'tool-calls': 'TOOL_CALL',
  'stop-sequence': 'STOP_SEQUENCE',
  refusal: 'COMPLETE',
  filter: 'ERROR',
  broken: 'ERROR',
} as const;

/** What the model says of its calls. */
const toolPlan = 'I will use the tools.';

/** The message of a whole answer. */
function messageOf({ blocks }: PlannedAnswer): Json {
  const content = blocks.flatMap((block): Json[] => {
    const text = textOf(block.pieces);
    if (block.type === 'tool-call') return [];
    if (block.type !== 'reasoning') return [{ type: 'text', text }];
    return block.isRedacted ? [] : [{ type: 'thinking', thinking: text }];
  });
  const calls = blocks.flatMap((block) => (block.type === 'tool-call' ? [callOf(block, textOf(block.pieces))] : []));
  const citations = blocks.flatMap((block, index) => (block.type === 'text' ? citationsOf(block, index) : []));
  return {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && { tool_calls: calls, tool_plan: toolPlan }),
    ...(citations.length > 0 && { citations }),
  };
}

function callOf({ id, name }: ToolCallBlock, text: string): Json {
  return { id, type: 'function', function: { name, arguments: text } };
}

/** https://docs.cohere.com/docs/rag-citations */
function citationsOf({ pieces, citations }: TextBlock, contentIndex: number): Json[] {
  const said = textOf(pieces);
  return citations.map(({ id, title, text, url }) => ({
    start: 0,
    end: said.length,
    text: said,
    sources: [{ type: 'document', id, document: { id, title, text, ...(url !== null && { url }) } }],
    content_index: contentIndex,
    type: 'TEXT_CONTENT',
  }));
}

/** https://docs.cohere.com/reference/chat#response.body.logprobs */
function logprobItem({ text }: Piece): Json {
  return { token_ids: [text.length], text, logprobs: [logprobOf(text).logprob] };
}

/** Billed units and tokens are the same here; at Cohere they may differ. */
function usageOf(usage: SpokenUsage | null): Json {
  if (!usage) return {};
  const tokens = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return { usage: { billed_units: tokens, tokens, cached_tokens: usage.cacheReadTokens } };
}
