import type { CatalogModel, Deployment } from '@tollgate/contracts/catalog';
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

describe('servers that share a model', () => {
  const home = aProvider({ operatorDefined: true, queues: true });
  const names = ['a', 'b', 'c'];
  const load = new Map<string, number>();
  const closed = new Set<string>();
  beforeEach(() => {
    load.clear();
    closed.clear();
  });

  function orderAt(conversation: string, weights = [1, 1, 1]): string[] {
    const deployments = names.map((name, index) => at(name, { weight: weights[index] ?? 1 }));
    const snapshot = aSnapshot([home], [aModel({ deployments })]);
    const table = new RouteTable(snapshot, someCredentials([home], { acme: 'key' }), null);
    const routes = table.routes('acme/one', 'openai-chat', 'key-1', {
      conversation: () => conversation,
      loadOf: ({ deployment }) => load.get(deployment.id) ?? 0,
      isOpen: ({ deployment }) => !closed.has(deployment.id),
    });
    return routes.map(({ deployment }) => deployment.id);
  }

  it('each keep their conversations, and share those of one key', () => {
    const first = keys.slice(0, 600).map((name) => orderAt(name)[0]);
    for (const name of names) expect(first.filter((id) => id === name).length / 600).toBeCloseTo(1 / 3, 1);
    expect(keys.slice(0, 600).map((name) => orderAt(name)[0])).toEqual(first);
  });

  it('have no more than a quarter above their share while another has room, which is the least busy one', () => {
    const favourite = orderAt('talk')[0] ?? '';
    const [busy = '', free = ''] = names.filter((name) => name !== favourite);
    // Four of eight with the new one: at most 1.25 times a third of them, rounded up.
    load.set(favourite, 3).set(busy, 3).set(free, 1);
    expect(orderAt('talk')[0]).toBe(favourite);
    load.set(favourite, 4);
    expect(orderAt('talk')).toEqual([free, busy, favourite]);
    load.set(free, 9).set(busy, 9);
    expect(orderAt('talk')[0]).toBe(favourite);
  });

  it('have no larger share because another is busy with what nobody can send elsewhere', () => {
    const favourite = orderAt('talk')[0] ?? '';
    const [strangers = '', free = ''] = names.filter((name) => name !== favourite);
    load.set(strangers, 60).set(favourite, 20);
    expect(orderAt('talk')).toEqual([free, favourite, strangers]);
    load.set(favourite, 1).set(free, 1);
    expect(orderAt('talk')[0]).toBe(favourite);
    load.set(favourite, 60).set(strangers, 1);
    expect(orderAt('talk').at(-1)).toBe(favourite);
  });

  it('keep their conversations while one of them is held, which comes last', () => {
    const [drained = '', ...others] = orderAt('talk');
    closed.add(drained);
    const [favourite = '', other = ''] = others;
    expect(orderAt('talk')).toEqual([favourite, other, drained]);
    // Nine of seventeen with the new one: with the drained one counted, the most would have been eight.
    load.set(favourite, 8).set(other, 8);
    expect(orderAt('talk')).toEqual([favourite, other, drained]);
    load.set(favourite, 20);
    expect(orderAt('talk')).toEqual([other, favourite, drained]);
    for (const name of names) closed.add(name);
    expect(orderAt('talk')).toEqual([drained, favourite, other]);
  });

  it('have their share by weight, and what weighs nothing comes last', () => {
    load.set('a', 5);
    const first = keys.slice(0, 300).map((name) => orderAt(name, [8, 1, 0]));
    expect(first.filter(([id]) => id === 'a').length / 300).toBeCloseTo(8 / 9, 1);
    expect(first.every(([, , last]) => last === 'c')).toBe(true);
  });
});
