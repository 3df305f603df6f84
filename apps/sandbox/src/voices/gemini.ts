import { textIn } from '../voice/answer-plan';
import type { PlannedBlock } from '../voice/answer-plan';
import type { Spoken, SpokenStream, Voice } from '../voice/voice';
import { readGenerateContent } from './gemini-request';

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
const statusWords: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', 'tool-calls': 'STOP', 'stop-sequence': 'STOP' } as const;

/** Google's generateContent. https://ai.google.dev/api/generate-content */
export const gemini: Voice = {
  dialect: 'gemini',
  paths: [{ path: '/models/*', stream: null }],
  streamType: 'text/event-stream',
  read: readGenerateContent,
  plain: (spoken) =>
    JSON.stringify({
      candidates: [
        {
          content: { parts: spoken.answer.blocks.map(partOf), role: 'model' },
          finishReason: finishReasons[spoken.answer.finish],
          index: 0,
        },
      ],
      ...tail(spoken),
    }),
  stream,
  error: (status, message) => ({ body: errorBody(status, message) }),
  errorInStream: (message) => `data: ${errorBody(503, message)}\r\n\r\n`,
  malformed: () => 'data: {"candidates": [{"content": {"parts": [{"te\r\n\r\n',
};

function errorBody(status: number, message: string): string {
  return JSON.stringify({ error: { code: status, message, status: statusWords[status] ?? 'INTERNAL' } });
}

/** Thoughts are not among the candidates' tokens. */
function tail({ usage, model, newId }: Spoken): Record<string, unknown> {
  const told = usage && {
    promptTokenCount: usage.inputTokens,
    candidatesTokenCount: usage.outputTokens - usage.reasoningTokens,
    totalTokenCount: usage.inputTokens + usage.outputTokens,
    ...(usage.cachedTokens > 0 && { cachedContentTokenCount: usage.cachedTokens }),
    ...(usage.reasoningTokens > 0 && { thoughtsTokenCount: usage.reasoningTokens }),
  };
  return { ...(told && { usageMetadata: told }), modelVersion: model, responseId: newId().slice(0, 22) };
}

function partOf(block: PlannedBlock): Record<string, unknown> {
  const text = textIn(block.pieces);
  switch (block.type) {
    case 'reasoning':
      return { text, thought: true };
    case 'text':
      return { text };
    case 'tool-call':
      return {
        functionCall: { name: block.name, args: JSON.parse(text) as unknown },
        thoughtSignature: callSignature(block.id),
      };
  }
}

/** Calls are signed; who sends a call back must send this with it. */
function callSignature(id: string): string {
  return Buffer.from(`sandbox-call:${id}`).toString('base64');
}

/** A call comes whole. The usage so far stands in every answer. */
function stream(spoken: Spoken): SpokenStream {
  const rest = tail(spoken);
  const answer = (candidate: Record<string, unknown>): string =>
    `data: ${JSON.stringify({ candidates: [{ ...candidate, index: 0 }], ...rest })}\r\n\r\n`;
  const steps = spoken.answer.blocks.flatMap((block) =>
    block.type === 'tool-call'
      ? [
          {
            bytes: answer({ content: { parts: [partOf(block)], role: 'model' } }),
            tokens: block.nameTokens + block.pieces.reduce((sum, { tokens }) => sum + tokens, 0),
          },
        ]
      : block.pieces.map(({ text, tokens }) => ({
          bytes: answer({
            content: { parts: [{ text, ...(block.type === 'reasoning' && { thought: true }) }], role: 'model' },
          }),
          tokens,
        })),
  );
  const closing = answer({
    content: { parts: [{ text: '' }], role: 'model' },
    finishReason: finishReasons[spoken.answer.finish],
  });
  return { opening: '', steps, closing };
}
