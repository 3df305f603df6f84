import type { CatalogModel, Deployment } from '@tollgate/contracts';
import { aModel, aProvider, aSnapshot, someCredentials } from '../testing/fixtures';
import { RouteTable } from './route-table';

const provider = aProvider();
const keys = Array.from({ length: 2_000 }, (_, index) => `key_${index}`);

function at(id: string, changes: Partial<Deployment> = {}): Deployment {
  return { id, provider: 'acme', upstreamModel: id, ...changes };
}

function tableOf(...models: CatalogModel[]): RouteTable {
  return new RouteTable(aSnapshot([provider], models), someCredentials([provider], { acme: 'key' }), null);
}

function orderOf(deployments: Deployment[], key = 'key-1'): string[] {
  const routes = tableOf(aModel({ deployments })).routes('acme/one', 'openai-chat', key);
  return routes.map(({ deployment }) => deployment.id);
}

describe('the order of deployments', () => {
  it('is that of the list where nothing else is said', () => {
    for (const key of keys.slice(0, 50)) expect(orderOf([at('c'), at('a'), at('b')], key)).toEqual(['c', 'a', 'b']);
  });

  it('begins with the lowest priority', () => {
    expect(orderOf([at('b', { priority: 1 }), at('c'), at('a', { priority: -1 }), at('d')])).toEqual([
      'a',
      'c',
      'd',
      'b',
    ]);
  });

  it('differs from caller to caller where one of a priority has a weight; the others have one', () => {
    const deployments = [at('a', { weight: 3 }), at('b'), at('late', { priority: 1 })];
    const first = keys.map((key) => orderOf(deployments, key)[0]);
    expect(first.filter((id) => id === 'a').length / keys.length).toBeCloseTo(0.75, 1);
    for (const key of keys.slice(0, 50)) expect(orderOf(deployments, key)[2]).toBe('late');
  });

  it('keeps what weighs nothing for the end of its priority', () => {
    const deployments = [at('spare', { weight: 0 }), at('a'), at('late', { priority: 1 })];
    expect(orderOf(deployments)).toEqual(['a', 'spare', 'late']);
  });

  it('leads the callers of a fallback where they would be if they had asked for it', () => {
    const spare = aModel({ id: 'acme/two', deployments: [at('x', { weight: 1 }), at('y', { weight: 1 })] });
    const table = tableOf(aModel({ deployments: [at('a')], fallbacks: ['acme/two'] }), spare);
    const ids = (model: string, key: string): string[] =>
      table.routes(model, 'openai-chat', key).map(({ deployment }) => deployment.id);
    for (const key of keys.slice(0, 50)) expect(ids('acme/one', key)).toEqual(['a', ...ids('acme/two', key)]);
  });

  it("carries the model's own time limits in the place of its provider's", () => {
    const [route] = tableOf(aModel({ timeouts: { firstByteMs: 9 } })).routes('acme/one', 'openai-chat', 'key-1');
    expect(route?.timeouts).toEqual({ ...provider.timeouts, firstByteMs: 9 });
  });
});
