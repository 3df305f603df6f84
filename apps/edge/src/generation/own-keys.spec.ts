import { uuidv7 } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { model } from '../testing/catalog-fixture';
import { eventIdOfFallBack, mayFallBack, ownKeysFor, placesFor } from './own-keys';

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

describe('a request with keys of its account', () => {
  const [one] = places;
  const may = (ownKeysFallBack: string[] | undefined, ownKeys: Record<string, string> | null) =>
    mayFallBack({ ownKeysFallBack }, ownKeys, one ?? at('none'));

  it('may fall back where that is chosen of each of them that the model itself is asked with', () => {
    const both = { acme: '1', cloud: '2' };
    expect(may(['acme', 'cloud'], both)).toBe(true);
    expect(may(['acme'], both)).toBe(false);
    expect(may(['acme'], { acme: '1', spare: '3' })).toBe(true);
    expect(may(['spare'], { acme: '1', spare: '3' })).toBe(false);
  });

  it('may not where nothing is chosen, or it goes without any', () => {
    expect(may(undefined, { acme: '1' })).toBe(false);
    expect(may(['acme'], null)).toBe(false);
    expect(may(['acme'], {})).toBe(false);
  });

  it('has another event when it falls back, of the same time, and the same one whenever it is made again', () => {
    const first = uuidv7(1_764_350_000_000);
    const second = eventIdOfFallBack(first);
    expect(second).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([second.slice(0, 13), second === first]).toEqual([first.slice(0, 13), false]);
    expect(eventIdOfFallBack(first)).toBe(second);
    expect(eventIdOfFallBack(uuidv7(1_764_350_000_000))).not.toBe(second);
  });
});
