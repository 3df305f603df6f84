import { noUsage, usageEventOf } from './usage-event';
import type { UsageOutcome } from './usage-event';

const request = {
  kind: 'generate' as const,
  includeUsage: false,
  traceparent: null,
  eventId: 'e1',
  requestId: 'r1',
  keyId: 'k1',
  accountId: 'a1',
  requestedModel: 'mini',
  model: 'openai/gpt-5.4-mini',
  surface: 'openai-chat' as const,
  startedAt: 1_000,
  deadlineAt: 9_000,
  path: null,
  query: null,
  headers: {},
};
const outcome: UsageOutcome = {
  model: 'openai/gpt-5.4-mini',
  state: 'completed',
  status: 200,
  estimated: false,
  usage: noUsage,
  attempts: [],
  firstTokenAt: 1_250,
  endedAt: 2_000,
  lease: null,
  reportedBy: 'inference',
};

it.each([
  ['streamed', true, 1_250],
  ['in one piece', false, null],
])('an answer that came %s has its first token at the right time, or none', (_how, stream, firstTokenAt) =>
  expect(usageEventOf({ ...request, stream }, outcome)).toMatchObject({ id: 'e1', stream, firstTokenAt }),
);
