import { isRecord } from '../request/record';
import { demand, Refusal } from '../request/refusal';
import type { Dialect, ErrorReply, Spoken, WrittenError, SpokenStep, SpokenStream } from '../speech/simulated-dialect';
import {
  finishReasons,
  groundingOf,
  logprobsOf,
  partsOf,
  usageOf,
  callPart,
  earlyUsage,
  signsText,
  wholeCalls,
} from './candidate';
import { demandFields } from './demand-fields';
import { continuationOf } from './long-answer';
import { readGeneration, type GenerationRequest } from './read-generation';
import { textOf } from '../answer/pieces';
import { sealOf } from '../answer/seal';
import type { PlannedAnswer } from '../answer/planned-answer';

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
const wordings: Readonly<Record<number, [status: string, message: string]>> = {
  400: ['INVALID_ARGUMENT', 'The request was refused by the sandbox.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  404: ['NOT_FOUND', 'The model is not found.'],
  429: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'],
  499: ['CANCELLED', 'The operation was cancelled.'],
  500: ['INTERNAL', 'An internal error has occurred. Please retry.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  504: ['DEADLINE_EXCEEDED', 'The service is unable to finish processing within the deadline.'],
};

const vertexCounts = ['model', 'instances', 'contents', 'tools', 'systemInstruction', 'generationConfig'];

/**
 * https://ai.google.dev/api/tokens
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/express-mode/rest/v1/publishers.models/countTokens
 */
const tokenCount: Dialect['counting'] = {
  isAsked: ({ model }) => model?.endsWith(':countTokens') ?? false,
  generation: (body, addressed) => {
    const isVertex = addressed.path.includes('publishers');
    demandFields(body, isVertex ? vertexCounts : ['contents', 'generateContentRequest'], '');
    const { generateContentRequest: whole = body } = body;
    const model = addressed.model?.replace(/:countTokens$/, '') ?? '';
    const isNamed = isVertex || whole === body || (isRecord(whole) && whole.model === `models/${model}`);
    demand(isNamed, '* CountTokensRequest.generateContentRequest.model: model is not specified');
    return [isRecord(whole) ? whole : {}, { ...addressed, model: `${model}:generateContent` }];
  },
  answer: (inputTokens) => ({
    totalTokens: inputTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
  }),
};

/**
 * Google's generateContent, at the Gemini API and at Vertex AI. https://ai.google.dev/api/generate-content
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
export const gemini: Dialect<GenerationRequest> = {
  name: 'gemini',
  paths: [
    { path: '/models/*', stream: null },
    { path: '/publishers/google/models/*', stream: null },
  ],
  counting: tokenCount,
  streamType: 'text/event-stream',
  overloadedStatus: 503,
  read: readGeneration,
  plain,
  stream: (spoken) => generationStream(spoken, frame(spoken)),
  error: writeGenerationError,
  tooLong: generationTooLong,
  errorInStream: (message) =>
    `data: ${JSON.stringify({ error: { code: 503, message, status: 'UNAVAILABLE' } })}\r\n\r\n`,
  malformed: () => 'data: {"candidates": [{"content": {"parts": [{"te\r\n\r\n',
};

function plain(spoken: Spoken<GenerationRequest>): string {
  const { choices, request, usage } = spoken;
  if (choices[0].finish === 'refusal')
    return JSON.stringify({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      ...usageOf(usage, request),
      ...frame(spoken),
    });
  return JSON.stringify({
    candidates: choices.map((choice, index) => {
      const texts = choice.blocks.flatMap((block) => (block.type === 'text' ? block.pieces : []));
      return {
        content: { parts: partsOf(choice, request), role: 'model' },
        finishReason: finishReasons[choice.finish],
        index,
        ...continuationOf(request.longAnswer, choice),
        ...logprobsOf(texts, request.topLogprobs),
        ...groundingOf(choice),
      };
    }),
    ...usageOf(usage, request),
    ...frame(spoken),
  });
}

function frame({ model, newId }: Spoken): Record<string, unknown> {
  return { modelVersion: model, responseId: newId().slice(0, 22) };
}

/**
 * Google's error object. A wait is told in its details:
 * https://cloud.google.com/apis/design/errors#retry_info
 */
function writeGenerationError({ status, message, param, retryAfterS }: ErrorReply): WrittenError {
  const [word, usual] = wordings[status] ?? ['INTERNAL', `The sandbox was told to answer ${status}.`];
  const details = [
    ...(param === null
      ? []
      : [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: param, description: message ?? usual }],
          },
        ]),
    ...(retryAfterS === null
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterS}s` }]),
  ];
  const error = { code: status, message: message ?? usual, status: word, ...(details.length > 0 && { details }) };
  return { body: JSON.stringify({ error }) };
}

/** The prompt holds more than the model takes. */
function generationTooLong(inputTokens: number): Refusal {
  const most = 1_048_576;
  return new Refusal(
    `The input token count (${most + inputTokens}) exceeds the maximum number of tokens allowed (${most}).`,
  );
}

type Json = Record<string, unknown>;

/** Part of an answer, and how many tokens it shows. */
interface Bit {
  part: Json | null;
  tokens: number;
  logprobs: Json;
}

/**
 * https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent `frame` is what every
 * answer carries.
 */
function generationStream(spoken: Spoken<GenerationRequest>, frame: Json): SpokenStream {
  const { choices, request, usage } = spoken;
  const writer = request.isEvents ? new EventWriter() : new ArrayWriter();
  const early = { ...earlyUsage(usage, request), ...frame };
  const last = { ...usageOf(usage, request), ...frame };
  if (choices[0].finish === 'refusal') {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...last };
    return { ...writer.frame, opening: null, steps: [], closing: () => writer.write(blocked) + writer.end };
  }
  return {
    ...writer.frame,
    opening: null,
    steps: stepsOf(choices, request, (candidate) => writer.write({ candidates: [candidate], ...early })),
    closing: () =>
      choices
        .map((choice, index) => writer.write({ candidates: [lastCandidate(choice, index, request)], ...last }))
        .join('') + writer.end,
  };
}

/** With alt=sse. */
class EventWriter {
  readonly frame = {};
  readonly end = '';

  write(answer: Json): string {
    return `data: ${JSON.stringify(answer)}\r\n\r\n`;
  }
}

/** Without it a stream is one JSON array. */
class ArrayWriter {
  readonly frame = { type: 'application/json; charset=UTF-8' };
  readonly end = '\n]';
  private isFirst = true;

  write(answer: Json): string {
    const before = this.isFirst ? '[' : ',\r\n';
    this.isFirst = false;
    return `${before}${JSON.stringify(answer)}`;
  }
}

function lastCandidate(choice: PlannedAnswer, index: number, request: GenerationRequest): Json {
  const [text] = choice.blocks.filter((block) => block.type === 'text');
  const signature = text && signsText(request) ? { thoughtSignature: sealOf(textOf(text.pieces)) } : {};
  return {
    content: { parts: [{ text: '', ...signature }], role: 'model' },
    finishReason: finishReasons[choice.finish],
    index,
    ...continuationOf(request.longAnswer, choice),
    ...groundingOf(choice),
  };
}

function* stepsOf(
  choices: readonly PlannedAnswer[],
  request: GenerationRequest,
  write: (candidate: Json) => string,
): Generator<SpokenStep> {
  for (const [index, choice] of choices.entries())
    for (const { part, tokens, logprobs } of bitsOf(choice, request)) {
      const candidate = { content: { parts: [part], role: 'model' }, index, ...logprobs };
      yield { bytes: part ? write(candidate) : '', tokens };
    }
}

/** A call comes whole. */
function* bitsOf({ blocks, finish }: PlannedAnswer, request: GenerationRequest): Generator<Bit> {
  const calls = wholeCalls(blocks, finish);
  for (const block of blocks) {
    if (block.type === 'tool-call') {
      const tokens = block.nameTokens + block.pieces.reduce((sum, piece) => sum + piece.tokens, 0);
      const part = calls.includes(block) ? callPart(block, calls[0] === block, request) : null;
      yield { part, tokens, logprobs: {} };
      continue;
    }
    const isThought = block.type === 'reasoning';
    for (const piece of block.pieces) {
      const part = { text: piece.text, ...(isThought && { thought: true }) };
      const isShown = !(isThought && block.isRedacted);
      yield {
        part: isShown ? part : null,
        tokens: piece.tokens,
        logprobs: isThought ? {} : logprobsOf([piece], request.topLogprobs),
      };
    }
  }
}
