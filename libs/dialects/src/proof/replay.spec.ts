import type { GenerationSurface } from '@tollgate/contracts';
import type { ProviderCodec, SurfaceCodec } from '../canonical/codec';
import type { AnswerReader, PreparedAttempt, Translation } from '../provider-dialect';
import { translationFor } from '../translations';
import { illegal, pairs } from './surfaces.fixture';
import { targetOf } from './targets.fixture';
import { saidReasoning, saidText, upstreamStream } from './upstream-streams.fixture';

const bodies: Record<GenerationSurface, object> = {
  'openai-chat': {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  },
  'anthropic-messages': { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], stream: true },
  'openai-responses': { model: 'm', input: 'Hi', stream: true },
};

/** What is long, or has another name at some providers. */
const longer: Record<GenerationSurface, object> = {
  'openai-chat': {
    ...bodies['openai-chat'],
    messages: [{ role: 'user', content: 'Hi. '.repeat(9_000) }],
    tools: [{ type: 'function', function: { name: 'maps/get.weather', parameters: { type: 'object' } } }],
  },
  'anthropic-messages': {
    ...bodies['anthropic-messages'],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi. '.repeat(9_000) }] }],
    tools: [{ name: 'maps/get.weather', input_schema: { type: 'object' } }],
  },
  'openai-responses': {
    ...bodies['openai-responses'],
    input: 'Hi. '.repeat(9_000),
    tools: [{ type: 'function', name: 'maps/get.weather', parameters: { type: 'object' } }],
  },
};

/** Ids that can be found again. */
const mockIds = { made: 0 };
jest.mock('../canonical/new-id', () => ({ newId: () => `${++mockIds.made}`.padStart(24, 'a') }));
beforeAll(() => jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000));
afterAll(() => jest.restoreAllMocks());

interface Replay {
  text: string;
  state: AnswerReader['state'];
  usage: AnswerReader['usage'];
}

function translationOf(surface: SurfaceCodec, provider: ProviderCodec): Translation {
  const translation = translationFor(surface.name, provider.name);
  if (!translation) throw new Error('no translation');
  return translation;
}

/** The answer to a caller, fed in these pieces. */
function replay(surface: SurfaceCodec, provider: ProviderCodec, pieces: readonly Uint8Array[]): Replay {
  return read(attempt(surface, provider), pieces);
}

function attempt(surface: SurfaceCodec, provider: ProviderCodec): PreparedAttempt {
  const body = Buffer.from(JSON.stringify(bodies[surface.name]));
  const target = targetOf(provider.name, true);
  return translationOf(surface, provider).prepare(body, target, { includeUsage: true });
}

function read(prepared: PreparedAttempt, pieces: readonly Uint8Array[]): Replay {
  return ordered(asMade(prepared, pieces));
}

/** The answer with ids as they were made. */
function asMade(prepared: PreparedAttempt, pieces: readonly Uint8Array[]): Replay {
  mockIds.made = 0;
  const reader = prepared.answerReader();
  const out = [...pieces.map((piece) => reader.push(piece)), reader.end()];
  return { text: Buffer.concat(out).toString(), state: reader.state, usage: reader.usage };
}

const ordered = (answer: Replay): Replay => ({ ...answer, text: inOrder(answer.text) });

const isSame = (one: Replay, other: Replay): boolean =>
  one.text === other.text && one.state === other.state && JSON.stringify(one.usage) === JSON.stringify(other.usage);

/** Made-up ids by the order in which they are seen, because it is chance which of them was made first. */
function inOrder(text: string): string {
  const ids = new Map<string, string>();
  // Seals that are carried for another dialect hold ids too.
  const readable = text.replaceAll(/tollgate:([\w-]+)/g, (_, carried: string) =>
    Buffer.from(carried, 'base64url').toString().replaceAll(/\W/g, '_'),
  );
  return readable.replaceAll(/a{20,}\d+/g, (id) => {
    const known = ids.get(id) ?? `id${ids.size}`;
    ids.set(id, known);
    return known;
  });
}

function stream(provider: ProviderCodec): Buffer {
  return upstreamStream(provider.name) ?? Buffer.alloc(0);
}

describe.each(pairs)('a stream, %s', (_, surface, provider) => {
  const bytes = stream(provider);
  let whole: Replay;
  beforeAll(() => (whole = replay(surface, provider, [bytes])));

  it('holds what the provider said, in a legal order, with its usage', () => {
    expect(whole).toMatchObject({ state: 'complete', usage: { input: 24, output: 33 } });
    if (surface.name !== provider.name) expect(illegal(surface.name, whole.text)).toBeNull();
    const [first = '', last = ''] = saidText.split(/(?<=🜁 )/);
    for (const said of [saidReasoning, first, last, 'get_weather', 'Köln'.slice(1)]) expect(whole.text).toContain(said);
  });

  it('is the same where a thread put the request into the dialect, or bytes pass', () => {
    const translation = translationOf(surface, provider);
    const body = Buffer.from(JSON.stringify(longer[surface.name]));
    const target = targetOf(provider.name, true);
    const made = translation.translate?.(body, target);
    expect(made === undefined).toBe(surface.name === provider.name);
    const translated = made && structuredClone(made);
    const here = translation.prepare(body, target, { includeUsage: true });
    const there = translation.prepare(body, target, { includeUsage: true, translated });
    expect(Buffer.concat(here.request.body).equals(Buffer.concat(there.request.body))).toBe(true);
    expect({ ...there.request, body: null }).toEqual({ ...here.request, body: null });
    expect(read(there, [bytes])).toEqual(read(here, [bytes]));
    if (made) expect(JSON.stringify([made.body, made.fitted]).length).toBeLessThan(4_000);
  });

  it('is the same wherever its bytes are cut in two', () => {
    // One request has all these answers: each is read by a reader of its own.
    const prepared = attempt(surface, provider);
    const made = asMade(prepared, [bytes]);
    expect(ordered(made)).toEqual(whole);
    for (let at = 0; at <= bytes.length; at++) {
      const cut = asMade(prepared, [bytes.subarray(0, at), bytes.subarray(at)]);
      // Nearly all have their ids in the same order: of those nothing is to be put in order.
      if (!isSame(cut, made)) expect([at, ordered(cut)]).toEqual([at, whole]);
    }
  });

  it('is the same byte by byte', () => {
    const pieces = [...bytes.keys()].map((at) => bytes.subarray(at, at + 1));
    expect(replay(surface, provider, pieces)).toEqual(whole);
  });
});

describe.each(pairs.filter(([, , provider]) => provider.framing === 'sse'))(
  'a stream with CRLF, %s',
  (_, surface, provider) => {
    const bytes = Buffer.from(stream(provider).toString().replaceAll('\n', '\r\n'));
    let whole: Replay;
    beforeAll(() => (whole = replay(surface, provider, [bytes])));

    it('is the same as with LF', () => {
      const plain = replay(surface, provider, [stream(provider)]);
      expect({ ...whole, text: whole.text.replaceAll('\r\n', '\n') }).toEqual(plain);
    });

    it('is the same when it is cut beside and between CR and LF', () => {
      for (const [at, byte] of bytes.entries()) {
        if (byte !== 0x0d) continue;
        for (const cut of [at, at + 1, at + 2])
          expect(replay(surface, provider, [bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
      }
    });
  },
);
