import { builtInProviders } from '@tollgate/providers';
import type { SurfaceName } from '@tollgate/contracts';
import { RouteTable } from '../routing/route-table';
import { aModel, aProvider, aRequest, aSnapshot, someCredentials } from '../testing/fixtures';
import { attemptOrder } from './attempt-order';

const openai = aProvider(builtInProviders.find(({ id }) => id === 'openai'));
const capabilities = { ...aModel().capabilities, reasoning: true };
const model = aModel({
  id: 'openai/gpt-5.6-sol',
  provider: 'openai',
  capabilities,
  deployments: [{ id: 'd', provider: 'openai', upstreamModel: 'gpt-5.6-sol' }],
});
const table = new RouteTable(aSnapshot([openai], [model]), someCredentials([openai], { openai: 'key' }), null);

function pathOf(surface: SurfaceName, body: object, compact = false): string {
  const [route] = table.routes(model.id, surface, 'key-1');
  if (!route) throw new Error('no route');
  const circumstances = {
    attempts: () => 1,
    leftMs: 1_000,
    last: true,
    maxHeldBytes: 1_000,
    admit: () => new Promise<never>(() => undefined),
    guard: null,
  };
  const request = aRequest({ surface, kind: compact ? 'compact' : 'generate' });
  const order = attemptOrder(request, Buffer.from(JSON.stringify({ model: model.id, ...body })), route, circumstances);
  return order.send.path;
}

const messages = [{ role: 'user', content: 'Hi' }];
const chatTools = [{ type: 'function', function: { name: 'f' } }];
const tools = [{ name: 'f', input_schema: { type: 'object' } }];

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

  it('is compacted by the provider itself', () => {
    expect(pathOf('openai-responses', { input: 'Hi' }, true)).toBe('/responses/compact');
  });

  it('stays where it can be said, if the other dialect cannot say it', () => {
    const body = { max_tokens: 99, messages, tools, stop_sequences: ['END'] };
    expect(pathOf('anthropic-messages', body)).toBe('/chat/completions');
  });
});
