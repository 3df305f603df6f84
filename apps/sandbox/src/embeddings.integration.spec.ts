import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DialectName } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { translationFor } from '@tollgate/dialects';
import { aModel } from '@tollgate/testing';
import { readSandboxEnvironment } from './environment';
import type { LedgerRow } from './ledger/ledger';
import { createSandbox } from './sandbox';

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await createSandbox(readSandboxEnvironment({}));
  await app.listen(0, '127.0.0.1');
});
afterAll(async () => app.close());

interface Embeddings {
  data: { index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number };
}

/** Asks the simulated provider of a dialect as inference does. */
async function embed(
  dialect: DialectName,
  request: object,
  upstreamModel = 'sandbox-vectors',
  quirks: Partial<ProviderDefinition['quirks']> = {},
): Promise<Embeddings> {
  const translation = translationFor('openai-embeddings', dialect);
  if (!translation) throw new Error(`no embeddings of ${dialect}`);
  const body = Buffer.from(JSON.stringify({ model: 'sandbox-vectors', ...request }));
  const target = { ...targetOf(dialect, quirks), upstreamModel };
  const attempt = translation.prepare(body, target, { includeUsage: false });
  const { path, headers, body: sent } = attempt.request;
  const answer = await fetch(`${await app.getUrl()}/${dialect}${path}`, {
    method: 'POST',
    headers,
    body: Buffer.concat(sent).toString(),
  });
  expect(answer.status).toBe(200);
  const reader = attempt.answerReader();
  reader.push(new Uint8Array(await answer.arrayBuffer()));
  const text = Buffer.from(reader.end()).toString();
  expect(reader.error).toBeNull();
  return JSON.parse(text) as Embeddings;
}

function targetOf(dialect: DialectName, quirks: Partial<ProviderDefinition['quirks']>) {
  const about = { id: 'p', name: 'P', dialect, baseUrl: 'http://p.test', apiKeyEnv: [], quirks };
  const provider = providerDefinition.parse(about);
  const model = aModel({ id: 'p/sandbox-vectors', kind: 'embedding', outputModalities: ['embedding'] });
  return { provider, model, upstreamModel: 'sandbox-vectors', stream: false };
}

describe.each(['openai-chat', 'gemini', 'cohere'] as const)('simulated embeddings of %s', (dialect) => {
  it('give each text a vector of its own, always the same, in the order of the texts', async () => {
    const { data, usage } = await embed(dialect, { input: ['rivers', 'hills', 'rivers'], dimensions: 4 });
    const [rivers, hills, again] = data;
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(rivers?.embedding).toHaveLength(4);
    expect(again?.embedding).toEqual(rivers?.embedding);
    expect(hills?.embedding).not.toEqual(rivers?.embedding);
    expect(usage.prompt_tokens).toBeGreaterThan(0);
  });

  it('stand in the books, with the tokens of their texts', async () => {
    const model = `${dialect}-vectors`;
    const { usage } = await embed(dialect, { input: ['rivers', 'hills'] }, model);
    const ledger = await fetch(`${await app.getUrl()}/ledger?model=${model}`);
    const { rows } = (await ledger.json()) as { rows: LedgerRow[] };
    expect(rows).toMatchObject([
      { kind: 'embedding', state: 'completed', inputTokens: usage.prompt_tokens, outputTokens: 0 },
    ]);
  });

  it('come in base64 when asked so', async () => {
    const { data } = await embed(dialect, { input: 'rivers', encoding_format: 'base64', dimensions: 4 });
    expect(Buffer.from(String(data[0]?.embedding), 'base64')).toHaveLength(16);
  });
});

describe('a request that is none', () => {
  it('is a 400 that says why', async () => {
    const url = `${await app.getUrl()}/cohere/embed`;
    for (const body of ['{', '{"texts":[]}']) {
      const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      expect([answer.status, await answer.json()]).toMatchObject([400, { message: expect.any(String) }]);
    }
  });
});

describe('a size that the model has not', () => {
  const openai = (model: string, dimensions: number) => ({ model, input: 'rivers', dimensions });
  const cohere = (model: string, size: number) => {
    const texts = { texts: ['rivers'], input_type: 'search_query', embedding_types: ['float'] };
    return { model, ...texts, output_dimension: size };
  };
  const post = async (path: string, body: object) =>
    fetch(`${await app.getUrl()}${path}`, { method: 'POST', body: JSON.stringify(body) });

  it.each([
    ['/openai-chat/embeddings', openai('text-embedding-3-small', 1_537), 'less than or equal to 1536'],
    ['/openai-chat/embeddings', openai('text-embedding-3-large', 3_073), 'less than or equal to 3072'],
    ['/openai-chat/embeddings', openai('text-embedding-ada-002', 1_536), 'does not support specifying dimensions'],
    ['/cohere/embed', cohere('embed-v4.0', 768), '[256 512 1024 1536] is supported'],
  ])('is refused: %s %j', async (path, body, words) => {
    const answer = await post(path, body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { message: expect.stringContaining(words) }]);
  });

  it.each([
    ['/openai-chat/embeddings', openai('text-embedding-3-small', 1_536)],
    ['/openai-chat/embeddings', openai('text-embedding-3-large', 8)],
    ['/cohere/embed', cohere('embed-v4.0', 1_536)],
  ])('is taken where the model has it: %s %j', async (path, body) => {
    expect((await post(path, body)).status).toBe(200);
  });
});

describe("embeddings of Mistral's models", () => {
  const asked = { model: 'mistral-embed', input: 'rivers' };
  const post = async (body: object) =>
    fetch(`${await app.getUrl()}/openai-chat/embeddings`, { method: 'POST', body: JSON.stringify(body) });

  it.each([{ dimensions: 4 }, { dimensions: null }, { user: null }])(
    'refuse what is outside its schema: %j',
    async (more) => {
      const answer = await post({ ...asked, ...more });
      expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('Extra inputs')]);
    },
  );

  it('refuse a size where the model has one alone', async () => {
    const answer = await post({ ...asked, output_dimension: 4 });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('output_dimension')]);
  });

  it('have the size that was asked for', async () => {
    const quirks = { refusesNull: true, dimensionsField: 'output_dimension' } as const;
    const { data } = await embed('openai-chat', { input: 'rivers', dimensions: 4 }, 'codestral-embed-2505', quirks);
    expect(data[0]?.embedding).toHaveLength(4);
  });

  it('are there for clients that write null for what they do not say', async () => {
    const body = { input: 'rivers', dimensions: null, encoding_format: null, user: null };
    const { data } = await embed('openai-chat', body, 'mistral-embed', { refusesNull: true, dropFields: ['user'] });
    expect(data).toHaveLength(1);
  });
});
