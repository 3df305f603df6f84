import { AnswerEvents } from '../canonical/answer-events';
import type { GenerationEvent } from '../canonical/generation-event';
import type { CanonicalRequest } from '../canonical/generation-request';
import { GeminiAnswerParser } from './answer-parser';
import { aRequest } from '../builders.fixture';
import { geminiTarget } from './target.fixture';

function answer(overrides: Partial<CanonicalRequest> = {}): AnswerEvents {
  let ids = 0;
  const newId = (): string => `new-${++ids}`;
  return new AnswerEvents(
    new GeminiAnswerParser({ request: aRequest(overrides), target: geminiTarget(), newId }),
    'Google',
  );
}

/** The legal events of a stream of these chunks, for a caller with tools. */
function streamed(...chunks: unknown[]): GenerationEvent[] {
  const events = answer({ tools: [{ name: 'f' }, { name: 'g' }] });
  return [...chunks.flatMap((chunk) => events.event('', JSON.stringify(chunk))), ...events.close()];
}

function whole(document: unknown): GenerationEvent[] {
  return answer().document(JSON.stringify(document));
}

const chunk = (parts: object[], more: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
});
const stop = { finishReason: 'STOP' };
const start = { type: 'start', id: 'r1', model: 'gemini-2.5-flash', createdAtS: null };
const at = (block: number, choice = 0) => ({ choice, block });
const seal = (value: string) => ({ dialect: 'gemini', kind: 'signature', value });
const words = (events: GenerationEvent[]) => events.map(({ type }) => type);

describe('an answer of Gemini', () => {
  it('gives thoughts, text, sealed text and whole calls as blocks in their order', () => {
    const events = streamed(
      chunk([{ text: 'Hm', thought: true }]),
      chunk([{ text: '…', thought: true }]),
      chunk([{ text: 'Grüße ' }]),
      chunk([{ text: '😀' }, { text: '', thoughtSignature: 'c2ln' }]),
      chunk([
        { functionCall: { id: 'own', name: 'f', args: { b: [1, 'ü'], a: null } }, thoughtSignature: 'Y2FsbA==' },
        { functionCall: { name: 'g' } },
      ]),
      chunk([{ text: '' }], stop),
    );
    expect(events).toEqual([
      start,
      { type: 'reasoning-start', ...at(0) },
      { type: 'reasoning-delta', ...at(0), text: 'Hm' },
      { type: 'reasoning-delta', ...at(0), text: '…' },
      { type: 'reasoning-end', ...at(0) },
      { type: 'text-start', ...at(1) },
      { type: 'text-delta', ...at(1), text: 'Grüße ' },
      { type: 'text-delta', ...at(1), text: '😀' },
      { type: 'text-end', ...at(1) },
      { type: 'reasoning-start', ...at(2) },
      { type: 'reasoning-end', ...at(2), seal: seal('c2ln') },
      { type: 'tool-call-start', ...at(3), id: 'own', name: 'f', signature: seal('Y2FsbA==') },
      { type: 'tool-call-delta', ...at(3), arguments: '{"b":[1,"ü"],"a":null}' },
      { type: 'tool-call-end', ...at(3) },
      { type: 'tool-call-start', ...at(4), id: 'new-1', name: 'g' },
      { type: 'tool-call-delta', ...at(4), arguments: '{}' },
      { type: 'tool-call-end', ...at(4) },
      { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'STOP' },
      { type: 'end' },
    ]);
  });

  it('is the same whether it comes in chunks, in an array, as one document or with an early [DONE]', () => {
    const chunks = [chunk([{ text: 'a' }]), chunk([{ text: 'b' }], stop)];
    const expected = streamed(...chunks);
    expect(streamed(chunks)).toEqual(expected);
    expect(whole(chunks)).toEqual(expected);
    expect(words(whole(chunk([{ text: 'ab' }], stop)))).toEqual([
      'start',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
      'end',
    ]);
    const events = answer();
    for (const each of chunks) events.event('', JSON.stringify(each));
    expect(events.event('', '[DONE]').concat(events.close())).toEqual([{ type: 'end' }]);
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['SPII', 'content-filter'],
    ['constructor', 'unknown'],
  ])('that stopped for %s finished by %s', (raw, reason) => {
    expect(streamed(chunk([{ text: 'a' }], { finishReason: raw }))).toContainEqual({
      type: 'finish',
      choice: 0,
      reason,
      raw,
    });
  });

  it('may be empty, or blocked before or after it began', () => {
    const usageMetadata = { promptTokenCount: 7, totalTokenCount: 7 };
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata };
    for (const events of [streamed(blocked), whole(blocked)]) {
      expect(events).toContainEqual({ type: 'finish', choice: 0, reason: 'content-filter', raw: 'SAFETY' });
      expect(events).toContainEqual({ type: 'usage', usage: expect.objectContaining({ input: 7, output: 0 }) });
      expect(events.at(-1)).toEqual({ type: 'end' });
    }
    const cut = streamed(chunk([{ text: 'a' }]), { candidates: [{ finishReason: 'SAFETY', index: 0 }] });
    expect(words(cut)).toEqual(['start', 'text-start', 'text-delta', 'text-end', 'finish', 'end']);
    expect(words(whole({ candidates: [{ finishReason: 'STOP' }] }))).toEqual(['start', 'finish', 'end']);
  });

  it('without a word, whose limit its thoughts used up, is counted: Google charges for it', () => {
    // https://ai.google.dev/gemini-api/docs/thinking#pricing
    const usageMetadata = { promptTokenCount: 9, thoughtsTokenCount: 64, totalTokenCount: 73 };
    const spent = { candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }], usageMetadata };
    for (const events of [streamed(spent), whole(spent)]) {
      expect(events).toContainEqual({ type: 'finish', choice: 0, reason: 'length', raw: 'MAX_TOKENS' });
      const usage = expect.objectContaining({ input: 9, output: 64, reasoning: 64 });
      expect(events).toContainEqual({ type: 'usage', usage });
      expect(events.at(-1)).toEqual({ type: 'end' });
    }
  });

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE', 'OTHER'])(
    'that broke with %s is no answer, before any content or behind it',
    (finishReason) => {
      const broken = { candidates: [{ finishReason, index: 0 }] };
      const error = { fault: 'retryable', code: finishReason.toLowerCase() };
      expect(streamed(broken).at(-1)).toMatchObject({ type: 'error', error });
      const counted = { ...broken, usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3 } };
      const events = streamed(chunk([{ text: 'a' }]), counted);
      expect(events.at(-1)).toMatchObject({ type: 'error', error });
      expect(events.at(-2)).toMatchObject({ type: 'usage', usage: { input: 5, output: 3 } });
    },
  );

  it('that closes without a finish, or with one choice of two unfinished, is a failure', () => {
    expect(streamed(chunk([{ text: 'a' }])).at(-1)).toMatchObject({ error: { code: 'unfinished_answer' } });
    expect(streamed().at(-1)).toMatchObject({ error: { code: 'empty_answer' } });
    const two = streamed(chunk([{ text: 'a' }], stop), chunk([{ text: 'b' }], { index: 1 }));
    expect(two.at(-1)).toMatchObject({ error: { code: 'unfinished_answer' } });
  });

  it.each([[{}], [[]], ['text'], [null], [{ candidates: [] }], [chunk([{ text: 'a' }])]])(
    'that is the document %j is a failure',
    (document) => {
      expect(whole(document).at(-1)).toMatchObject({ type: 'error', error: { code: 'bad_answer' } });
    },
  );

  it('carries errors behind the status 200, before and after the first text, alone and in an array', () => {
    const error = { code: 503, message: 'overloaded', status: 'UNAVAILABLE' };
    const expected = { type: 'error', error: expect.objectContaining({ fault: 'retryable', code: 'unavailable' }) };
    expect(streamed({ error })).toEqual([expected]);
    expect(streamed([{ error }])).toEqual([expected]);
    expect(streamed(chunk([{ text: 'a' }]), { error }, chunk([{ text: 'b' }], stop)).at(-1)).toEqual(expected);
    expect(whole({ error })).toEqual([expected]);
  });

  it('may have several choices that interleave', () => {
    const events = streamed(
      chunk([{ text: 'a' }]),
      chunk([{ text: 'x' }], { index: 1 }),
      chunk([{ text: 'b' }], stop),
      chunk([{ text: 'y' }], { index: 1, finishReason: 'MAX_TOKENS' }),
    );
    const texts = events.filter((event) => event.type === 'text-delta');
    expect(texts.map(({ choice, block, text }) => [choice, block, text])).toEqual([
      [0, 0, 'a'],
      [1, 1, 'x'],
      [0, 0, 'b'],
      [1, 1, 'y'],
    ]);
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(2);
  });

  it('tells its sources once, and its probabilities with the text', () => {
    const citationMetadata = {
      citationSources: [{ startIndex: 0, endIndex: 1, uri: 'https://a.example', title: 'A' }],
    };
    const groundingMetadata = { groundingChunks: [{ web: { uri: 'https://b.example' } }] };
    const logprobsResult = {
      chosenCandidates: [{ token: 'a', logProbability: -0.5 }],
      topCandidates: [
        {
          candidates: [
            { token: 'a', logProbability: -0.5 },
            { token: 'b', logProbability: -2 },
          ],
        },
      ],
    };
    const events = streamed(
      chunk([{ text: 'a' }], { citationMetadata, logprobsResult }),
      chunk([], { citationMetadata, groundingMetadata, ...stop }),
    );
    const cited = events.filter((event) => event.type === 'citation').map(({ citation }) => citation);
    expect(cited).toEqual([
      { dialect: 'gemini', url: 'https://a.example', title: 'A', original: citationMetadata.citationSources[0] },
      { dialect: 'gemini', url: 'https://b.example', title: null, original: groundingMetadata.groundingChunks[0] },
    ]);
    expect(events).toContainEqual({
      type: 'text-delta',
      ...at(0),
      text: 'a',
      logprobs: [
        {
          token: 'a',
          logprob: -0.5,
          bytes: null,
          top: [
            { token: 'a', logprob: -0.5, bytes: null },
            { token: 'b', logprob: -2, bytes: null },
          ],
        },
      ],
    });
  });

  it('has the names of tools as the caller knows them', () => {
    const events = answer({ tools: [{ name: '1st tool' }] });
    const called = events.event('', JSON.stringify(chunk([{ functionCall: { name: '_1st_tool' } }], stop)));
    expect(called).toContainEqual({ type: 'tool-call-start', ...at(0), id: 'new-1', name: '1st tool' });
  });

  it('is text alone for a caller who asked for neither tools nor reasoning', () => {
    const signed = JSON.stringify(chunk([{ text: 'a' }, { text: '', thoughtSignature: 'c2ln' }], stop));
    expect(words(answer().event('', signed))).not.toContain('reasoning-start');
    expect(words(answer({ reasoning: { effort: 'low' } }).event('', signed))).toContain('reasoning-start');
  });

  it('counts once, whichever chunks count, and tells the kinds', () => {
    const counts = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      totalTokenCount: 155,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 90 },
        { modality: 'AUDIO', tokenCount: 10 },
      ],
    };
    const events = streamed(
      { ...chunk([{ text: 'a' }]), usageMetadata: { promptTokenCount: 100, totalTokenCount: 100 } },
      { ...chunk([{ text: 'b' }]), usageMetadata: { trafficType: 'ON_DEMAND' } },
      { ...chunk([], stop), usageMetadata: counts },
      { usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 0 } },
    );
    expect(events.filter((event) => event.type === 'usage').at(-1)?.usage).toEqual({
      input: 105,
      output: 50,
      cachedInput: 40,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      reasoning: 30,
      audioInput: 10,
      audioOutput: 0,
    });
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(3);
  });

  it('is read although it holds what nobody knows yet', () => {
    const events = streamed(
      { brandNew: true },
      { ...chunk([{ text: 'a', fresh: 1 }, { inventedPart: {} }, { executableCode: {} }]), more: [] },
      'text',
      null,
      { candidates: [null, { index: 0, content: null, finishReason: 'STOP', ratings: {} }], usageMetadata: 'none' },
    );
    expect(words(events)).toEqual(['start', 'text-start', 'text-delta', 'text-end', 'finish', 'end']);
  });

  it('tells the time where Vertex AI does', () => {
    const [first] = streamed({ ...chunk([{ text: 'a' }], stop), createTime: '2026-01-02T03:04:05.678Z' });
    expect(first).toMatchObject({ createdAtS: Date.UTC(2026, 0, 2, 3, 4, 5) / 1_000 });
  });
});
