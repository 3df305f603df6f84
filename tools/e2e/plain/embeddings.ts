import { eventually } from '@tollgate/testing';
import OpenAI from 'openai';
import type { TestStack } from '../test-stack';

let test: TestStack;
let apiKey: string;
let client: OpenAI;

export function embeddings(shared: () => TestStack): void {
  beforeAll(async () => {
    test = shared();
    ({ apiKey } = await test.stack.createKey({ name: 'embeddings', plan: 'pro' }));
    client = new OpenAI({ apiKey, baseURL: `${test.stack.baseUrl}/v1`, maxRetries: 0 });
  });

  interface Row {
    model: string;
    requests: number;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
  }

  /**
   * The calling key's row of a model, once it costs so much. The first requests of a fresh stack may come
   * before their prices are stored, and are priced later.
   */
  function rowOf(model: string, costUsd: number): Promise<Row | undefined> {
    const ask = async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(`${test.stack.baseUrl}/api/metrics?period=hour`, { headers });
      const { by_model: rows } = (await answer.json()) as { by_model: Row[] };
      return rows.find((row) => row.model === model);
    };
    return eventually(ask, (row) => Math.abs((row?.cost_usd ?? 0) - costUsd) < 1e-9, 30_000);
  }

  it.each([
    ['openai/text-embedding-3-small', 0.02],
    ['google/gemini-embedding-001', 0.15],
    ['mistral/mistral-embed', 0.1],
    ['cohere/embed-v4.0', 0.12],
  ])(
    '%s embeds for the official client, which asks for base64, and is metered and priced',
    async (model, usdPerMillion) => {
      const input = ['rivers and hills', 'a quiet harbor'];
      const { data, usage } = await client.embeddings.create({ model, input });
      expect(data.map(({ index }) => index)).toEqual([0, 1]);
      for (const { embedding } of data) expect(Math.hypot(...embedding)).toBeCloseTo(1, 3);
      const plain = await client.embeddings.create({ model, input, encoding_format: 'float' });
      expect(plain.data[1]?.embedding.length).toBe(data[1]?.embedding.length);
      const tokens = 2 * usage.prompt_tokens;
      const costUsd = (tokens * usdPerMillion) / 1_000_000;
      const row = await rowOf(model, costUsd);
      expect(row).toMatchObject({ requests: 2, input_tokens: tokens, output_tokens: 0 });
      expect(row?.cost_usd).toBeCloseTo(costUsd, 9);
    },
  );

  it('lists embedding models as such, and does not let them chat', async () => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer = await fetch(`${test.stack.baseUrl}/v1/models`, { headers });
    const { data } = (await answer.json()) as { data: { output_modalities: string[] }[] };
    const vectors = data.filter(({ output_modalities: output }) => output.includes('embedding'));
    expect(vectors.length).toBeGreaterThanOrEqual(8);
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const chat = client.chat.completions.create({ model: 'openai/text-embedding-3-small', messages });
    await expect(chat).rejects.toThrow('POST /v1/embeddings');
  });
}
