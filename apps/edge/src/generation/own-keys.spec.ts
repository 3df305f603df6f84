import type { CatalogModel } from '@tollgate/contracts';
import { model } from '../testing/catalog-fixture';
import { ownKeysFor, placesFor } from './own-keys';

const at = (id: string, ...providers: string[]) =>
  model(id, { deployments: providers.map((provider) => ({ id: `${id}@${provider}`, provider, upstreamModel: id })) });
const places = [at('acme/one', 'acme', 'cloud'), at('spare/two', 'spare')];
const of = (ownKeys: Record<string, string> | undefined, there = places) => ownKeysFor({ ownKeys }, () => there);

it('is at the places of own keys only where the request goes with one', () => {
  const [one, two] = [at('acme/one', 'acme'), at('spare/two', 'spare')];
  const catalog = { placesOf: (model: CatalogModel, ownKeys?: object) => (ownKeys ? [model, two] : [model]) };
  expect(placesFor({ ownKeys: { spare: 'sealed' } }, one, catalog)).toEqual([one]);
  expect(placesFor({ ownKeys: { acme: '1', spare: '2' } }, one, catalog)).toEqual([one, two]);
  expect(placesFor({}, one, catalog)).toEqual([one]);
});

describe('keys of its account with which a request goes', () => {
  it('are those of the providers of its model, and of its fallbacks', () => {
    expect(of({ cloud: 'sealed' })).toEqual({ cloud: 'sealed' });
    const all = { acme: '1', spare: '2' };
    expect(of({ ...all, other: '3' })).toEqual(all);
  });

  it('are none where the model is at no provider of one: it goes with the operator’s, also to its fallbacks', () => {
    expect(of({ spare: 'sealed' })).toBeNull();
    expect(of({})).toBeNull();
    expect(of(undefined)).toBeNull();
    expect(of({ cloud: 'sealed' }, [])).toBeNull();
  });

  it('are none for what every object has', () => {
    expect(of({ acme: 'sealed' }, [at('acme/one', 'constructor', 'toString')])).toBeNull();
  });
});
