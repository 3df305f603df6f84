import { generationKinds, generationRequest, toWireRequest } from './generation';
import type { GenerationRequest } from './generation';

const common = {
  requestId: 'request',
  eventId: 'event',
  keyId: 'key',
  accountId: 'account',
  surface: 'openai-chat',
  requestedModel: 'one',
  model: 'one',
  stream: false,
  includeUsage: false,
  startedAt: 1,
  deadlineAt: 2,
  lease: null,
  traceparent: null,
  headers: {},
} as const;

describe('the kind of a request', () => {
  /** As the version without kinds wrote and read them. */
  const former: [GenerationRequest['kind'], object][] = [
    ['generate', {}],
    ['compact', { compact: true }],
    ['count_tokens', { countTokens: true }],
    ['tokenize', { countTokens: true, tokenizer: 'tokenize' }],
    ['detokenize', { countTokens: true, tokenizer: 'detokenize' }],
  ];

  it('is known of every kind', () => {
    expect(former.map(([kind]) => kind).toSorted()).toEqual([...generationKinds].toSorted());
  });

  it.each(former)('%s is read of the version before, and said to it', (kind, members) => {
    const read = generationRequest.parse({ ...common, ...members });
    expect(read).toEqual({ ...common, kind });
    expect(toWireRequest(read)).toEqual({ ...common, kind, ...members });
    expect(generationRequest.parse(toWireRequest(read))).toEqual(read);
  });

  it('that is not known is no request, whatever it says besides', () => {
    expect(generationRequest.safeParse({ ...common, kind: 'paint', countTokens: true }).success).toBe(false);
  });
});
