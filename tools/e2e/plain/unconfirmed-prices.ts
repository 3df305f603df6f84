import { catalogOperations, type CatalogModel } from '@tollgate/contracts/catalog';
import { eventually } from '@tollgate/testing';
import type { TestStack } from '../test-stack';
import { runTollgate } from './cli';

const sure = 'openai/gpt-5.4-mini';

interface Priced {
  id: string;
  pricing: { unconfirmed: boolean } | null;
}
interface Row {
  model: string;
  prices_unconfirmed: boolean;
}

export function unconfirmedPrices(shared: () => TestStack): void {
  let test: TestStack;
  let apiKey: string;
  let keyId: string;
  /** Every model of the catalog on whose price sources disagree. */
  let doubtful: string[];
  /** The id of a request to each of them, and to one whose price is sure. */
  const asked = new Map<string, string>();

  const get = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${apiKey}` };
    return (await fetch(test.stack.baseUrl + path, { headers })).json();
  };
  const ask = ({ id, kind }: CatalogModel): Promise<Response> => {
    const messages = [{ role: 'user', content: 'Name a gate.' }];
    return fetch(`${test.stack.baseUrl}/v1/${kind === 'embedding' ? 'embeddings' : 'chat/completions'}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-tollgate-cost': 'on' },
      body: JSON.stringify({ model: id, ...(kind === 'embedding' ? { input: 'a gate' } : { messages }) }),
    });
  };

  beforeAll(async () => {
    test = shared();
    const limits = { plan: 'enterprise', rpm: null, quotaTokens: null } as const;
    const made = await test.stack.createKey({ name: 'doubts', ...limits });
    [apiKey, keyId] = [made.apiKey, made.key.id];
    const { models } = await test.stack.call(catalogOperations.snapshot, {});
    doubtful = models.filter(({ priceUnconfirmed }) => priceUnconfirmed).map(({ id }) => id);
    expect(doubtful.length).toBeGreaterThan(0);
    for (const model of models.filter(({ id }) => id === sure || doubtful.includes(id))) {
      const answer = await ask(model);
      const { 'x-request-id': requestId = '', ...told } = Object.fromEntries(answer.headers);
      expect([model.id, answer.status, Number(told['x-tollgate-cost']) > 0]).toEqual([model.id, 200, true]);
      expect([model.id, told['x-tollgate-cost-unconfirmed']]).toEqual([
        model.id,
        model.id === sure ? undefined : 'true',
      ]);
      asked.set(model.id, requestId);
    }
    expect(asked.size).toBe(doubtful.length + 1);
  });

  it.each([
    ['/v1/models', 'data'],
    ['/api/catalog', 'models'],
  ])('stand in %s, which callers and the dashboard read, beside each such model', async (path, list) => {
    const { [list]: listed = [] } = (await get(path)) as Partial<Record<string, Priced[]>>;
    const marked = listed.filter(({ pricing }) => pricing?.unconfirmed).map(({ id }) => id);
    expect(marked.sort()).toEqual([...doubtful].sort());
  });

  it('stand beside the cost of each such model in the report', async () => {
    const { by_model: rows } = await eventually(
      async () => (await get('/api/metrics?period=hour')) as { by_model: Row[] },
      (report) => report.by_model.length === asked.size,
      30_000,
    );
    const marked = rows.filter(({ prices_unconfirmed: isMarked }) => isMarked).map(({ model }) => model);
    expect(marked.sort()).toEqual([...doubtful].sort());
  });

  it('stand beside each such cost and price in the command line', async () => {
    const [listed, models] = [
      await runTollgate(test, 'requests', 'list', '--key', keyId, '--limit', '200'),
      await runTollgate(test, 'models', 'list'),
    ];
    const lineOf = (text: string, name: string) => text.split('\n').find((line) => line.includes(name)) ?? '';
    for (const [model, requestId] of asked) {
      const isMarked = model !== sure;
      expect([model, /\d\?$/.test(lineOf(listed, requestId).trimEnd())]).toEqual([model, isMarked]);
      const row = models.split('\n').find((line) => line.startsWith(`${model} `)) ?? '';
      expect([model, /\d\*?\? .*\d\*?\?$/.test(row.trimEnd())]).toEqual([model, isMarked]);
    }
    const explained = await runTollgate(test, 'usage', 'explain', asked.get(doubtful[0] ?? '') ?? '');
    expect(explained).toContain('The price of this model is unconfirmed');
  });
}
