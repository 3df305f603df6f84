import { answerJson, startScriptedUpstream, type ScriptedUpstream, type UpstreamVisit } from '@tollgate/testing';
import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { readAnthropicBill } from './anthropic-bill';
import { readOpenaiBill } from './openai-bill';
import { readOpenrouterBill } from './openrouter-bill';

const dayS = Date.parse('2026-11-22T00:00:00Z') / 1_000;
const key = 'sk-admin-1';

/**
 * The answers of https://platform.openai.com/docs/api-reference/usage in two pages of minutes, and of
 * https://platform.claude.com/docs/en/api/admin/cost_report in one.
 */
function tell(visit: UpstreamVisit): void {
  const { pathname, searchParams: asked } = new URL(visit.path, 'http://provider');
  const answer = (body: object): void => answerJson(visit, 200, JSON.stringify(body));
  if (![visit.headers.authorization, visit.headers['x-api-key']].some((told) => String(told).endsWith(key)))
    return answerJson(visit, 401, JSON.stringify({ error: { message: 'sk-admin-2 is no administrator' } }));
  const minute = { model: 'gpt-5.4-mini', input_tokens: 10, input_cached_tokens: 4, output_tokens: 3 };
  switch (pathname) {
    case '/v1/organization/costs': {
      const items = [
        { amount: { value: '2e-05', currency: 'usd' }, line_item: 'gpt-5.4-mini, Cached input' },
        { amount: { value: 0.01, currency: 'usd' }, line_item: 'web search' },
        { amount: { value: 5, currency: 'eur' }, line_item: 'gpt-5.4-mini, output' },
      ];
      return answer({ data: [{ results: items }] });
    }
    case '/v1/organization/usage/completions': {
      const isFirst = asked.get('page') === null;
      const data = [{ start_time: isFirst ? dayS : dayS + 60, results: isFirst ? [minute] : [] }];
      return answer({ data, has_more: isFirst, next_page: isFirst ? 'second' : null });
    }
    case '/v1/organizations/cost_report': {
      const told = { currency: 'USD', cost_type: 'tokens', model: 'claude-sonnet-4-5' };
      const results = [{ ...told, amount: '123.45', token_type: 'cache_creation.ephemeral_1h_input_tokens' }];
      return answer({ data: [{ results }], has_more: false, next_page: null });
    }
    case '/v1/organizations/usage_report/messages': {
      const used = { model: 'claude-sonnet-4-5', uncached_input_tokens: 7, output_tokens: 2 };
      return answer({ data: [{ starting_at: '2026-11-22T00:05:00Z', results: [used] }], has_more: false });
    }
    case '/v1/generation': {
      const costs: Record<string, object> = {
        'gen-1': { total_cost: 0.0015 },
        // OpenRouter's fee, and what the provider charges beside it.
        'gen-2': { total_cost: 0.0001, is_byok: true, upstream_inference_cost: 2e-5 },
      };
      const told = costs[asked.get('id') ?? ''];
      if (told) return answer({ data: told });
      return answerJson(visit, 404, JSON.stringify({ error: { code: 404, message: 'Generation not found' } }));
    }
    default:
      return answer({ data: [] });
  }
}

let server: ScriptedUpstream;
beforeAll(async () => {
  server = await startScriptedUpstream(tell);
});
afterAll(() => server.stop());

const at = (dialect: 'openai-chat' | 'anthropic-messages', secret = key) =>
  providerEndpoint(aProvider({ dialect }), `${server.url}/v1`, { kind: 'key', key: secret });

it('reads the costs of OpenAI, with all pages of its minutes', async () => {
  expect(await readOpenaiBill(at('openai-chat'), dayS)).toEqual({
    lines: [
      { model: 'gpt-5.4-mini', kind: 'cachedInput', picoUsd: 20_000_000n },
      { model: '', kind: 'webSearch', picoUsd: 10_000_000_000n },
    ],
    minutes: [{ model: 'gpt-5.4-mini', at: dayS * 1_000, uses: { input: 6, cachedInput: 4, output: 3 } }],
  });
  const pages = server.visits.filter(({ path }) => path.includes('/usage/completions'));
  expect(pages.map(({ path }) => new URL(path, server.url).searchParams.get('page'))).toEqual([null, 'second']);
});

it('reads the costs of Anthropic, which are in cents', async () => {
  const none = { cachedInput: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  expect(await readAnthropicBill(at('anthropic-messages'), dayS)).toEqual({
    lines: [{ model: 'claude-sonnet-4-5', kind: 'cacheWrite1h', picoUsd: 1_234_500_000_000n }],
    minutes: [{ model: 'claude-sonnet-4-5', at: (dayS + 300) * 1_000, uses: { ...none, input: 7, output: 2 } }],
  });
});

it('asks OpenRouter what each answer cost, and takes what it does not know for not billed', async () => {
  async function* answers() {
    yield ['gen-1', 'gen-2'].map((answerId) => ({ answerId, eventId: `event of ${answerId}`, model: 'house/gpt' }));
    yield [];
    yield [{ answerId: 'gen-3', eventId: 'unknown there', model: 'house/gpt' }];
  }
  const line = { model: 'house/gpt', kind: '' };
  expect(await readOpenrouterBill(at('openai-chat'), answers())).toEqual({
    lines: [
      { ...line, picoUsd: 1_500_000_000n, eventId: 'event of gen-1' },
      { ...line, picoUsd: 120_000_000n, eventId: 'event of gen-2' },
    ],
    minutes: [],
  });
  const refused = readOpenrouterBill(at('openai-chat', 'sk-admin-2'), answers());
  await expect(refused).rejects.toThrow(`GET ${server.url}/v1/generation answered 401`);
});

it('says in a line what the provider answered, without the key', async () => {
  const refused = readOpenaiBill(at('openai-chat', 'sk-admin-2'), dayS);
  await expect(refused).rejects.toThrow(
    `GET ${server.url}/v1/organization/costs answered 401: [redacted] is no administrator`,
  );
});

it.each([
  ['another form', '{"data":[{"results":[{"amount":{"value":true}}]}]}'],
  ['no JSON', '<html>'],
])('takes %s for no bill', async (_what, body) => {
  const other = await startScriptedUpstream((visit) => answerJson(visit, 200, body));
  try {
    const endpoint = providerEndpoint(aProvider(), `${other.url}/v1`, { kind: 'key', key });
    await expect(readOpenaiBill(endpoint, dayS)).rejects.toThrow('not in the form that its documentation names');
  } finally {
    await other.stop();
  }
});
