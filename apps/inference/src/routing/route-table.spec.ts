import { aModel, aProvider, aSnapshot } from '../testing/fixtures';
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
const allKeys = { sandbox: false, keys: new Map(providers.map(({ id }) => [id, `key-${id}`])) };

function ids(table: RouteTable, model = 'acme/one'): string[] {
  return table.routes(model, 'openai-chat').map(({ deployment }) => deployment.id);
}

describe('the routes of a model', () => {
  it('are its deployments in order, then those of its fallbacks, each once, without what cannot be translated', () => {
    expect(ids(new RouteTable(snapshot, allKeys, null))).toEqual(['a', 'b', 'two']);
  });

  it('carry the model that answers there', () => {
    const routes = new RouteTable(snapshot, allKeys, null).routes('acme/one', 'openai-chat');
    expect(routes.map(({ model }) => model.id)).toEqual(['acme/one', 'acme/one', 'beta/two']);
  });

  it('leave out providers without a credential', () => {
    const onlyBeta = { sandbox: false, keys: new Map([['beta', 'key']]) };
    expect(ids(new RouteTable(snapshot, onlyBeta, null))).toEqual(['b', 'two']);
  });

  it('are none for an unknown model', () => {
    expect(ids(new RouteTable(snapshot, allKeys, null), 'nobody/nothing')).toEqual([]);
  });

  it("end at the provider's own base URL with its own key", () => {
    const [first] = new RouteTable(snapshot, allKeys, null).routes('acme/one', 'openai-chat');
    expect(first?.endpoint).toMatchObject({ origin: 'https://acme.test', basePath: '/v1', apiKey: 'key-acme' });
  });

  it('end at the simulated provider of the dialect, without a key, in sandbox mode', () => {
    const simulated = { sandbox: true, keys: new Map(providers.map(({ id }) => [id, null])) };
    const table = new RouteTable(snapshot, simulated, 'http://127.0.0.1:4010/');
    expect(table.sandbox).toBe(true);
    expect(table.routes('acme/one', 'openai-chat')[0]?.endpoint).toMatchObject({
      origin: 'http://127.0.0.1:4010',
      basePath: '/openai-chat',
      apiKey: null,
    });
  });
});
