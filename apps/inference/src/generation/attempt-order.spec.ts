import { builtInProviders } from '@tollgate/providers';
import type { SurfaceName } from '@tollgate/contracts';
import { RouteTable } from '../routing/route-table';
import { aModel, aProvider, aRequest, aSnapshot, someCredentials } from '../testing/fixtures';
import { attemptOrder } from './attempt-order';

const builtIn = (id: string) => aProvider(builtInProviders.find((provider) => provider.id === id));
const openai = builtIn('openai');
const capabilities = { ...aModel().capabilities, reasoning: true };
const model = aModel({
  id: 'openai/gpt-5.6-sol',
  provider: 'openai',
  capabilities,
  deployments: [{ id: 'd', provider: 'openai', upstreamModel: 'gpt-5.6-sol' }],
});
const pro = aModel({
  id: 'openai/gpt-5.5-pro',
  provider: 'openai',
  capabilities,
  deployments: [{ id: 'p', provider: 'openai', upstreamModel: 'gpt-5.5-pro' }],
});
const deepseek = builtIn('deepseek');
const flash = aModel({
  id: 'deepseek/deepseek-flash',
  provider: 'deepseek',
  capabilities,
  deployments: [{ id: 'f', provider: 'deepseek', upstreamModel: 'deepseek-flash' }],
});
const bedrock = builtIn('bedrock-openai');
const sol = aModel({
  id: 'bedrock-openai/openai.gpt-5.6-sol',
  provider: 'bedrock-openai',
  capabilities,
  deployments: [{ id: 's', provider: 'bedrock-openai', upstreamModel: 'global.openai.gpt-5.6-sol' }],
});
const anthropic = builtIn('anthropic');
const claude = aModel({
  id: 'anthropic/claude-opus-5',
  provider: 'anthropic',
  capabilities,
  deployments: [{ id: 'c', provider: 'anthropic', upstreamModel: 'claude-opus-5' }],
});
const providers = [openai, deepseek, bedrock, anthropic];
const table = new RouteTable(
  aSnapshot(providers, [model, pro, flash, sol, claude]),
  someCredentials(providers, { openai: 'key', deepseek: 'key', 'bedrock-openai': 'key', anthropic: 'key' }),
  null,
);

function orderOf(surface: SurfaceName, body: object, compact = false, asked = model, headers = {}) {
  const [route] = table.routes(asked.id, surface, 'key-1');
  if (!route) throw new Error('no route');
  const circumstances = {
    attempts: () => 1,
    leftMs: 1_000,
    last: true,
    key: null,
    ahead: 0,
    maxHeldBytes: 1_000,
    admit: () => new Promise<never>(() => undefined),
    read: () => false,
    guard: null,
    continued: null,
    maxOutputTokens: undefined,
    translated: () => undefined,
  };
  const request = aRequest({ surface, kind: compact ? 'compact' : 'generate', headers });
  return attemptOrder(request, Buffer.from(JSON.stringify({ model: asked.id, ...body })), route, circumstances);
}

const pathOf = (surface: SurfaceName, body: object, compact = false): string =>
  orderOf(surface, body, compact).send.path;

const messages = [{ role: 'user', content: 'Hi' }];
const chatTools = [{ type: 'function', function: { name: 'f' } }];
const tools = [{ name: 'f', input_schema: { type: 'object' } }];

it.each([
  ['openai-chat', { messages: [{ role: 'user', content: 'Hi' }] }, model, true],
  [
    'openai-chat',
    { messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'function', function: { name: 'f' } }] },
    model,
    true,
  ],
  ['openai-chat', { messages: [{ role: 'user', content: 'Hi' }] }, claude, false],
  ['openai-responses', { input: 'Hi' }, claude, false],
] as const)('passes the betas of OpenAI on, or says that it does not: %s with %j', (surface, body, asked, isPassed) => {
  const order = orderOf(surface, body, false, asked, { 'openai-beta': 'responses_multi_agent=v1' });
  expect(order.send.headers['openai-beta']).toBe(isPassed ? 'responses_multi_agent=v1' : undefined);
  const told = ['the header openai-beta was dropped: the request went to Anthropic in another format'];
  expect(order.facts.warnings.filter((warning) => warning.includes('openai-beta'))).toEqual(isPassed ? [] : told);
});

describe("a request for one of OpenAI's newer models", () => {
  it.each([
    ['openai-chat', { messages }, '/chat/completions'],
    ['openai-chat', { messages, tools: chatTools }, '/responses'],
    ['openai-chat', { messages, tools: chatTools, reasoning_effort: 'none' }, '/chat/completions'],
    ['anthropic-messages', { max_tokens: 99, messages, tools }, '/responses'],
    ['openai-responses', { input: 'Hi' }, '/responses'],
  ] as const)('of the surface %s with %j goes to %s', (surface, body, path) => {
    expect(pathOf(surface, body)).toBe(path);
  });

  it('keeps what it says of the cache where it goes to the other dialect', () => {
    const cache = { prompt_cache_key: 'c', prompt_cache_options: { mode: 'explicit', ttl: '12h' } };
    const { path, body } = orderOf('openai-chat', { messages, tools: chatTools, ...cache }).send;
    expect(path).toBe('/responses');
    expect(JSON.parse(Buffer.concat(body).toString())).toMatchObject(cache);
  });

  it("keeps what OpenAI alone knows, of the surface that is OpenAI's own", () => {
    const own = {
      ...{ image: { context_compression: 'enabled' }, reasoning: { mode: 'pro', effort: 'max' } },
      ...{ service_tier: 'ultrafast', prompt_cache_options: { ttl: '12h' }, multi_agent: { enabled: true } },
    };
    const { path, body } = orderOf('openai-responses', { input: 'Hi', ...own }).send;
    expect(path).toBe('/responses');
    expect(JSON.parse(Buffer.concat(body).toString())).toMatchObject(own);
  });

  it('goes to responses with its tools at Bedrock, too, where the name has the maker in front', () => {
    expect(orderOf('openai-chat', { messages, tools: chatTools }, false, sol).send.path).toBe('/responses');
    expect(orderOf('openai-chat', { messages }, false, sol).send.path).toBe('/chat/completions');
  });

  it('is compacted by the provider itself', () => {
    expect(pathOf('openai-responses', { input: 'Hi' }, true)).toBe('/responses/compact');
  });

  it('stays where it can be said, if the other dialect cannot say it', () => {
    const body = { max_tokens: 99, messages, tools, stop_sequences: ['END'] };
    expect(pathOf('anthropic-messages', body)).toBe('/chat/completions');
  });
});

describe("a request for a model of OpenAI's that responses alone have", () => {
  it.each([
    ['openai-chat', { messages }],
    ['openai-chat', { messages, tools: chatTools, reasoning_effort: 'none' }],
    ['anthropic-messages', { max_tokens: 99, messages }],
    ['openai-responses', { input: 'Hi' }],
  ] as const)('of the surface %s with %j goes there', (surface, body) => {
    expect(orderOf(surface, body, false, pro).send.path).toBe('/responses');
  });

  it('is refused with what responses cannot say, since nowhere else can say it', () => {
    const said = () => orderOf('openai-chat', { messages, n: 2 }, false, pro);
    expect(said).toThrow('a response is one answer');
  });
});

describe('a request of the messages surface to DeepSeek', () => {
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 };
  const addressOf = (members: object): string => {
    const { endpoint, path } = orderOf(
      'anthropic-messages',
      { max_tokens: 99, messages, ...members },
      false,
      flash,
    ).send;
    return `${endpoint.origin}${endpoint.basePath}${path}`;
  };

  it.each([
    ['nothing that it alone can do', {}, 'https://api.deepseek.com/chat/completions'],
    ['a tool of the caller', { tools }, 'https://api.deepseek.com/chat/completions'],
    ['its web search', { tools: [search] }, 'https://api.deepseek.com/anthropic/v1/messages'],
    ['both', { tools: [...tools, search] }, 'https://api.deepseek.com/anthropic/v1/messages'],
  ])('that asks for %s goes where that loses less', (_, members, address) => {
    expect(addressOf(members)).toBe(address);
  });

  it('is refused by name where neither has the tool', () => {
    expect(() => addressOf({ tools: [{ type: 'computer_20250124', name: 'computer' }] })).toThrow(
      "tools[0].type' has the value 'computer_20250124'",
    );
  });
});
