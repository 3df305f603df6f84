import { aModel, aProvider, aSnapshot, someCredentials } from '../testing/fixtures';
import { RouteTable } from './route-table';

const providers = [
  aProvider({ id: 'acme', baseUrl: 'https://acme.test/v1/' }),
  aProvider({ id: 'beta', baseUrl: 'https://beta.test' }),
  aProvider({ id: 'gamma', dialect: 'gemini' }),
];
const models = [
  aModel({
    id: 'acme/one',
    deployments: [
      { id: 'a', provider: 'acme', upstreamModel: 'one' },
      { id: 'b', provider: 'beta', upstreamModel: 'one-b' },
    ],
    fallbacks: ['gamma/three', 'beta/two', 'missing/model'],
  }),
  aModel({
    id: 'beta/two',
    deployments: [
      { id: 'two', provider: 'beta', upstreamModel: 'two' },
      { id: 'b', provider: 'beta', upstreamModel: 'one-b' },
    ],
    fallbacks: ['acme/one'],
  }),
  aModel({ id: 'gamma/three', provider: 'gamma' }),
];
const snapshot = aSnapshot(providers, models);
const allKeys = someCredentials(providers, { acme: 'key-acme', beta: 'key-beta', gamma: 'key-gamma' });

function ids(table: RouteTable, model = 'acme/one'): string[] {
  return table.routes(model, 'openai-chat', 'key-1').map(({ deployment }) => deployment.id);
}

describe('the routes of a model', () => {
  it('are its deployments in order, then those of its fallbacks, each once', () => {
    expect(ids(new RouteTable(snapshot, allKeys, null))).toEqual(['a', 'b', 'gamma/three@gamma', 'two']);
  });

  it('leave out what cannot be translated', () => {
    const bedrock = aProvider({ dialect: 'bedrock-converse' });
    const vectors = aModel({ kind: 'embedding' });
    const table = new RouteTable(aSnapshot([bedrock], [vectors]), someCredentials([bedrock], { acme: 'key' }), null);
    expect(table.routes('acme/one', 'openai-embeddings', 'key-1')).toEqual([]);
  });

  it('carry the model that answers there', () => {
    const routes = new RouteTable(snapshot, allKeys, null).routes('acme/one', 'openai-chat', 'key-1');
    expect(routes.map(({ model }) => model.id)).toEqual(['acme/one', 'acme/one', 'gamma/three', 'beta/two']);
  });

  it('leave out providers without a credential', () => {
    const onlyBeta = someCredentials(providers, { beta: 'key' });
    expect(ids(new RouteTable(snapshot, onlyBeta, null))).toEqual(['b', 'two']);
  });

  it('lead to providers without a credential for who brings keys of its account alone', () => {
    const onlyBeta = someCredentials(providers, { beta: 'key' });
    const { access: ownKeysOnly } = someCredentials(providers, { acme: null });
    const table = new RouteTable(snapshot, { ...onlyBeta, ownKeysOnly }, null);
    const brought = table.routes('acme/one', 'openai-chat', 'key-1', null, true);
    expect(brought.map(({ deployment }) => deployment.id)).toEqual(['a', 'b', 'two']);
    expect(brought[0]?.endpoint).toMatchObject({ origin: 'https://acme.test', apiKey: null, keyHeaders: {}, pool: [] });
    expect(ids(table)).toEqual(['b', 'two']);
    expect(table.places.map(({ deployment }) => deployment.id)).toEqual(['a', 'b', 'two', 'b']);
    expect(table.isBeyond('acme/one', 'openai-completions', true)).toBe(true);
  });

  it('are those of any name at a provider that passes it on', () => {
    const open = providers.map((each) => ({ ...each, unlisted: each.id === 'acme' }));
    const table = new RouteTable(aSnapshot(open, models), allKeys, null);
    const [route] = table.routes('acme/maker/new-1', 'openai-chat', 'key-1');
    expect(route?.deployment).toEqual({ id: 'acme:*', provider: 'acme', upstreamModel: 'maker/new-1' });
    expect(ids(table, 'beta/new-1')).toEqual([]);
    expect(ids(table, `acme/${'x'.repeat(300)}`)).toEqual([]);
  });

  it('are none for an unknown model', () => {
    expect(ids(new RouteTable(snapshot, allKeys, null), 'nobody/nothing')).toEqual([]);
  });

  it("end at the provider's own base URL with its own key", () => {
    const [first] = new RouteTable(snapshot, allKeys, null).routes('acme/one', 'openai-chat', 'key-1');
    expect(first?.endpoint).toMatchObject({ origin: 'https://acme.test', basePath: '/v1', apiKey: 'key-acme' });
  });

  it('end at the simulated provider of the dialect, without a key, in sandbox mode', () => {
    const simulated = someCredentials(providers, { acme: null, beta: null, gamma: null }, true);
    const table = new RouteTable(snapshot, simulated, 'http://127.0.0.1:4010/');
    expect(table.sandbox).toBe(true);
    expect(table.routes('acme/one', 'openai-chat', 'key-1')[0]?.endpoint).toMatchObject({
      origin: 'http://127.0.0.1:4010',
      basePath: '/openai-chat',
      apiKey: null,
    });
  });

  it('never lead from a real place to a simulated one', () => {
    const house = aProvider({ id: 'house', apiKeyEnv: [], operatorDefined: true });
    const own = aModel({ id: 'house/one', provider: 'house', fallbacks: ['acme/one'] });
    const { access } = someCredentials(providers, { acme: null, beta: null }, true);
    const real = someCredentials([house], { house: null }).access;
    const credentials = { ...someCredentials([], {}, true), access: new Map([...access, ...real]) };
    const table = new RouteTable(
      aSnapshot([...providers, house], [...models, own]),
      credentials,
      'http://127.0.0.1:4010',
    );
    expect(ids(table, 'house/one')).toEqual(['house/one@house']);
    expect(ids(table, 'acme/one')).toEqual(['a', 'b', 'two']);
  });

  it('speak the dialect of the caller where the provider knows it, else its main one, at the base URL of that dialect', () => {
    const both = aProvider({
      dialect: 'openai-responses',
      alsoSpeaks: ['openai-chat'],
      baseUrl: 'https://acme.test/v1',
    });
    const one = aSnapshot([both], [aModel()]);
    const real = new RouteTable(one, someCredentials([both], { acme: 'key' }), null);
    expect(real.routes('acme/one', 'openai-chat', 'key-1')[0]).toMatchObject({
      translation: { provider: 'openai-chat' },
      endpoint: { basePath: '/v1', apiKey: 'key' },
    });
    const simulated = new RouteTable(one, someCredentials([both], { acme: null }, true), 'http://127.0.0.1:4010');
    expect(simulated.routes('acme/one', 'openai-chat', 'key-1')[0]?.endpoint.basePath).toBe('/openai-chat');
    expect([...(real.endpoints.get('acme')?.keys() ?? [])]).toEqual(['openai-responses', 'openai-chat']);
  });

  it('speak a dialect at its own path on the host of the provider, and keep one for certain tools behind the others', () => {
    const alsoAt = [
      { dialect: 'openai-responses' as const, path: '/v2/responses-api', tools: null },
      { dialect: 'anthropic-messages' as const, path: '/anthropic/v1', tools: '^web_search_' },
    ];
    const acme = aProvider({ dialect: 'openai-chat', baseUrl: 'https://acme.test/v1', alsoAt });
    const table = new RouteTable(
      aSnapshot([acme], [aModel()]),
      someCredentials([acme], { acme: 'key' }),
      'http://127.0.0.1:4010',
    );
    const [responses] = table.routes('acme/one', 'openai-responses', 'key-1');
    expect(responses).toMatchObject({
      translation: { provider: 'openai-responses' },
      endpoint: { origin: 'https://acme.test', basePath: '/v2/responses-api', apiKey: 'key' },
    });
    const [messages] = table.routes('acme/one', 'anthropic-messages', 'key-1');
    expect(messages?.translation.provider).toBe('openai-chat');
    expect(messages?.elsewhere.find(({ forTools }) => forTools)).toMatchObject({
      translation: { provider: 'anthropic-messages' },
      endpoint: { origin: 'https://acme.test', basePath: '/anthropic/v1', apiKey: 'key' },
    });
    const [chat] = table.routes('acme/one', 'openai-chat', 'key-1');
    expect(chat?.elsewhere.map(({ forTools }) => forTools)).toEqual([null]);
  });

  it('lead embeddings to models that embed only, by the first dialect of the provider that has them', () => {
    const both = aProvider({ dialect: 'anthropic-messages', alsoSpeaks: ['openai-chat'] });
    const vectors = aModel({ id: 'acme/vectors', kind: 'embedding', fallbacks: ['acme/one'] });
    const table = new RouteTable(
      aSnapshot([both], [vectors, aModel()]),
      someCredentials([both], { acme: 'key' }),
      null,
    );
    const routes = table.routes('acme/vectors', 'openai-embeddings', 'key-1');
    expect(routes.map(({ model }) => model.id)).toEqual(['acme/vectors']);
    expect(routes[0]?.translation).toMatchObject({ surface: 'openai-embeddings', provider: 'openai-chat' });
    expect(table.routes('acme/vectors', 'openai-chat', 'key-1').map(({ model }) => model.id)).toEqual(['acme/one']);
    expect(table.routes('acme/one', 'openai-embeddings', 'key-1')).toEqual([]);
  });
});
