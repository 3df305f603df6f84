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

describe('a request that goes with keys of its account', () => {
  const own = { ...common, ownKeys: { acme: 'sealed' } };

  it.each(generationKinds)('has a kind that no release without own keys knows, and is read as it was: %s', (kind) => {
    const wire = toWireRequest({ ...own, kind });
    expect(generationKinds as readonly unknown[]).not.toContain((wire as { kind: string }).kind);
    expect(generationRequest.parse(wire)).toEqual({ ...own, kind });
  });

  it('is none without these keys, so that nobody serves it with others', () => {
    const { ownKeys: _, ...bare } = { ownKeys: {}, ...toWireRequest({ ...own, kind: 'generate' }) };
    expect(generationRequest.safeParse(bare).success).toBe(false);
  });
});
