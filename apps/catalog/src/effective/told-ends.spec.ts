import { retirement } from '@tollgate/contracts/catalog';
import { aModel } from '@tollgate/testing';
import { resolveModel } from './resolve-model';
import { withToldEnds } from './told-ends';

const at = (provider: string) => ({ id: `${provider}:m`, provider, upstreamModel: 'm' });

function endOf(own: string | null, places: string[], told: Record<string, string>): string | null {
  const model = resolveModel({ id: 'a/m', provider: 'a', created: 1, deployments: places.map(at) });
  if (!model) throw new Error('it has a provider');
  const ending = { ...model, retirement: own === null ? null : retirement.parse({ date: own, successor: 'a/n' }) };
  const listed = Object.fromEntries(
    Object.entries(told).map(([provider, endsOn]) => [provider, [{ name: 'm', contextWindow: null, endsOn }]]),
  );
  return withToldEnds([ending], listed)[0]?.retirement?.date ?? null;
}

describe('the end of a model that a list tells', () => {
  it.each([
    ['is its own where nothing else is known', null, ['a'], { a: '2026-12-11' }, '2026-12-11'],
    ['does not overrule what the catalog has', '2027-01-01', ['a'], { a: '2026-12-11' }, '2027-01-01'],
    ['is that of the last place', null, ['a', 'b'], { a: '2026-12-11', b: '2027-02-01' }, '2027-02-01'],
    ['is none where a place tells none', null, ['a', 'b'], { a: '2026-12-11' }, null],
    ['is none where it is of another provider', null, ['a'], { b: '2026-12-11' }, null],
  ])('%s', (_, own, places, told, end) => {
    expect(endOf(own, places, told as Record<string, string>)).toBe(end);
  });

  it.each([
    ['the model that the provider calls so', 'm-2', null, 'a/next'],
    ['the model that has it for another name', 'next-latest', null, 'a/next'],
    ['what the catalog names', 'm-2', 'a/own', 'a/own'],
    ['none where nobody knows it', 'm-9', null, null],
    ['none where it is itself', 'm', null, null],
  ])('has for a successor %s', (_, replacement, own, successor) => {
    const model = (id: string, upstreamModel: string, aliases: string[] = []) =>
      aModel({ id, provider: 'a', aliases, deployments: [{ id, provider: 'a', upstreamModel }] });
    const ending = { ...model('a/m', 'm'), retirement: own === null ? null : retirement.parse({ successor: own }) };
    const listed = { a: [{ name: 'm', contextWindow: null, endsOn: '2026-12-11', replacement }] };
    const [told] = withToldEnds([ending, model('a/next', 'm-2', ['next-latest'])], listed);
    expect(told?.retirement).toMatchObject({ date: '2026-12-11', successor });
  });
});
