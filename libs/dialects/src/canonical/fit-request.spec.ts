import { GatewayError } from '@tollgate/contracts';
import { targetWith } from '../openai-chat/target.fixture';
import type { ProviderCodec, Support, SupportTable } from './codec';
import { type Feature, featureDetectors, features } from './features';
import { fitRequest } from './fit-request';
import type { CanonicalRequest } from './generation-request';
import { withoutFeature } from './remove-feature';

/** Its models search the web, and have a machine for programs. */
const capable = () => targetWith(false, { webSearch: '.', codeExecution: '.' });

const everything: CanonicalRequest = {
  surface: 'openai-chat',
  stream: false,
  messages: [
    { role: 'user', name: 'ada', parts: [{ type: 'text', text: 'hi', cacheControl: {} }] },
    { role: 'system', parts: [{ type: 'text', text: 'late' }] },
    {
      role: 'user',
      parts: [
        { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' }, detail: 'low' },
        { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } },
        { type: 'image', source: { kind: 'file-id', id: 'f', dialect: 'openai-chat' } },
        { type: 'file', source: { kind: 'data', mediaType: 'application/pdf', data: 'AA==' } },
        { type: 'file', source: { kind: 'url', url: 'https://example.com/a.pdf' } },
        { type: 'file', source: { kind: 'file-id', id: 'f', dialect: 'openai-chat' } },
        { type: 'audio', source: { kind: 'data', mediaType: 'audio/wav', data: 'AA==' } },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'refusal', text: 'no' },
        { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
      ],
    },
    {
      role: 'tool',
      parts: [
        {
          type: 'tool-result',
          toolCallId: 'c',
          isError: true,
          content: [
            { type: 'text', text: 'r' },
            { type: 'image', source: { kind: 'url', url: 'https://example.com/b.png' } },
            { type: 'file', source: { kind: 'url', url: 'https://example.com/b.pdf' } },
          ],
        },
      ],
    },
  ],
  tools: [{ name: 'f', strict: true }],
  webSearch: {
    isDispensable: false,
    maxUses: 1,
    allowedDomains: ['a.example'],
    blockedDomains: ['b.example'],
    location: { city: 'Rome' },
    contextSize: 'low',
  },
  codeExecution: true,
  parallelToolCalls: false,
  maxOutputTokens: 10,
  temperature: 0.5,
  topP: 0.5,
  topK: 5,
  stop: ['x'],
  seed: 1,
  choices: 2,
  presencePenalty: 1,
  frequencyPenalty: 1,
  logprobs: { top: 0 },
  reasoning: { effort: 'low', budgetTokens: 1024, off: true, adaptive: true, summary: 'auto' },
  user: 'u',
  metadata: { a: 'b' },
  unread: [],
};

const variants: Partial<Record<Feature, CanonicalRequest>> = {
  'tool choice web search': { ...everything, toolChoice: { type: 'web-search' } },
  'tool choice none': { ...everything, toolChoice: { type: 'none' } },
  'tool choice required': { ...everything, toolChoice: { type: 'required' } },
  'tool choice by name': { ...everything, toolChoice: { type: 'tool', name: 'f' } },
  'JSON object': { ...everything, responseFormat: { type: 'json-object' } },
  'JSON schema': { ...everything, responseFormat: { type: 'json-schema', name: 's', schema: {} } },
};

function using(feature: Feature): CanonicalRequest {
  return variants[feature] ?? everything;
}

/** A provider that maps everything but what `exceptions` names. */
function provider(exceptions: Partial<Record<Feature, Support>> = {}): ProviderCodec {
  const support: SupportTable = Object.fromEntries(
    features.map((feature) => [feature, exceptions[feature] ?? 'mapped']),
  ) as Record<Feature, Support>;
  return {
    name: 'cohere',
    framing: 'sse',
    support,
    takesExtra: (_, field) => field === 'wanted',
    toRequest: () => ({ path: '', headers: {}, body: {}, warnings: [] }),
    answerParser: () => ({ onEvent: () => [], onDocument: () => [], onClose: () => [] }),
    readError: () => ({ fault: 'ours', code: '', message: '', retryAfterS: null }),
  };
}

describe('fitRequest', () => {
  it.each(features)('drops "%s" wholly where the provider drops it, with the reason, and nothing else', (feature) => {
    const request = using(feature);
    expect(featureDetectors[feature](request)).toBe(true);
    const fitted = fitRequest(request, provider({ [feature]: { dropped: 'not there' } }), capable());
    expect(featureDetectors[feature](fitted.request)).toBe(false);
    expect(fitted.warnings).toEqual([`${feature} was dropped: not there`]);
    expect(withoutFeature(fitted.request, feature)).toEqual(fitted.request);
  });

  it.each(features)('refuses "%s" with a 400 that names it and the model where the provider refuses it', (feature) => {
    const refusing = provider({ [feature]: { refused: 'it cannot' } });
    expect(() => fitRequest(using(feature), refusing, capable())).toThrow(
      new GatewayError(400, `${feature} is not possible with acme/large: it cannot.`),
    );
  });

  it('drops a web search that the caller can do without, at a provider and for a model that have none', () => {
    const webSearch = { isDispensable: true, maxUses: 1 };
    const asked: CanonicalRequest = { ...everything, webSearch, toolChoice: { type: 'web-search' } };
    for (const [support, target] of [
      [{ 'web search': { refused: 'it has none' } }, capable()],
      [{}, targetWith(false, { webSearch: '^other', codeExecution: '.' })],
    ] as const) {
      const { request, warnings } = fitRequest(asked, provider(support), target);
      expect(request).toMatchObject({ tools: everything.tools });
      expect([request.webSearch, request.toolChoice]).toEqual([undefined, undefined]);
      expect(warnings).toEqual([
        expect.stringMatching(/^web search was dropped: (it has none|Acme has no search of its own for this model)$/),
      ]);
    }
    expect(() =>
      fitRequest(
        { ...asked, webSearch: { isDispensable: false } },
        provider(),
        targetWith(false, { codeExecution: '.' }),
      ),
    ).toThrow('web search is not possible with acme/large');
  });

  it('leaves alone what the provider maps', () => {
    expect(fitRequest(everything, provider(), capable())).toEqual({ request: everything, warnings: [] });
  });

  it('drops sampling for a model that takes none', () => {
    const target = capable();
    target.model.capabilities.temperature = false;
    const { request, warnings } = fitRequest(everything, provider(), target);
    expect([request.temperature, request.topP, request.topK]).toEqual([undefined, undefined, undefined]);
    expect(warnings).toEqual([
      'temperature was dropped: the model does not take it',
      'top p was dropped: the model does not take it',
      'top k was dropped: the model does not take it',
    ]);
  });

  it('names every unknown field, nested or not, that the provider does not take', () => {
    const request = { ...everything, extra: { wanted: 1, odd: 2 }, unread: ['messages[0].foo', 'tools[0].bar'] };
    const fitted = fitRequest(request, provider(), capable());
    expect(fitted.request.extra).toEqual({ wanted: 1 });
    expect(fitted.warnings).toEqual([
      'messages[0].foo, tools[0].bar were dropped: not known',
      'odd was dropped: Acme does not take it',
    ]);
  });

  it('keeps the list of unknown fields short enough for a header', () => {
    const unread = Array.from({ length: 30 }, (_, index) => `messages[${index}].foo`);
    const [warning] = fitRequest({ ...everything, unread }, provider(), capable()).warnings;
    expect(warning).toContain('messages[9].foo and 20 more were dropped');
  });
});

it('lowers a limit of the output to what the model can write, and tells it', () => {
  const { model, ...rest } = capable();
  const target = { ...rest, model: { ...model, maxOutputTokens: 4_000 } };
  const asked = (maxOutputTokens: number) => ({ ...everything, maxOutputTokens });
  expect(fitRequest(asked(4_000), provider(), target)).toMatchObject({
    request: { maxOutputTokens: 4_000 },
    warnings: [],
  });
  expect(fitRequest(asked(64_000), provider(), target)).toMatchObject({
    request: { maxOutputTokens: 4_000 },
    warnings: ['the output limit of 64000 tokens became 4000: this model writes no more'],
  });
});
