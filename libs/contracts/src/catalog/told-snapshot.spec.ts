import type { z } from 'zod';
import type { catalogSnapshot } from './catalog';
import { toldSnapshot } from './told-snapshot';

type Told = z.input<typeof catalogSnapshot>;

const provider = {
  id: 'acme',
  name: 'Acme',
  dialect: 'openai-chat',
  baseUrl: 'https://api.acme.example/v1',
  apiKeyEnv: ['ACME_API_KEY'],
} as const satisfies Told['providers'][number];
const other = { ...provider, id: 'other' };

const capabilities = {
  ...{ streaming: true, tools: true, vision: false },
  ...{ reasoning: false, structuredOutput: true, temperature: true },
};
const deployment = { id: 'acme/one', provider: 'acme', upstreamModel: 'one' };
const model = {
  id: 'acme/one',
  name: 'One',
  provider: 'acme',
  created: 0,
  status: 'active',
  contextWindow: 1_000,
  maxOutputTokens: 100,
  inputModalities: ['text'],
  outputModalities: ['text'],
  capabilities,
  prices: { input: '1', output: '2' },
  aliases: [],
  deployments: [deployment],
  fallbacks: [],
} as const satisfies Told['models'][number];

/** A snapshot as this release tells it, with something that only a later one says. */
const told = (changes: object) => ({
  ...{ revision: 7, sandbox: false, providers: [provider, other], models: [model], available: [model.id] },
  ...changes,
});
const read = (changes: object) => toldSnapshot.parse(told(changes));
const left = (list: string, entry: string, part: string | null) => ({ list, entry, part, why: expect.any(String) });

it('is whole where all of it is known', () => {
  const { leftOut, models, providers, available, guardrails } = read({});
  expect(leftOut).toEqual([]);
  expect([models.length, providers.length, available, guardrails]).toEqual([1, 2, [model.id], []]);
});

it.each([
  ['a member of the snapshot', { tides: 'high' }],
  ['a member of a provider', { providers: [{ ...provider, tides: 'high' }, other] }],
  ['a dialect that a provider also speaks', { providers: [{ ...provider, alsoSpeaks: ['telepathy'] }, other] }],
  [
    'a rule of a provider',
    { providers: [{ ...provider, quirks: { toolsElsewhere: [{ dialect: 'telepathy' }] } }, other] },
  ],
  ['where a provider tells its bills', { providers: [{ ...provider, bills: { how: 'by pigeon' } }, other] }],
  ['a member of a model', { models: [{ ...model, tides: 'high' }] }],
  ['a kind of what a model takes', { models: [{ ...model, inputModalities: ['text', 'smell'] }] }],
  ['a kind of what a model gives', { models: [{ ...model, outputModalities: ['text', 'smell'] }] }],
])('loses nothing else by %s that is not known', (_what, changes) => {
  const { leftOut, models, providers } = read(changes);
  expect(leftOut).toEqual([]);
  expect(providers.map(({ id }) => id)).toEqual(['acme', 'other']);
  expect(models).toMatchObject([{ inputModalities: ['text'], outputModalities: ['text'] }]);
});

it('leaves a model out whose kind is not known, and keeps the others', () => {
  const { models, available, leftOut } = read({
    models: [{ ...model, id: 'acme/two', kind: 'dream' }, model],
    available: ['acme/two', model.id],
  });
  expect([models.map(({ id }) => id), available]).toEqual([[model.id], [model.id]]);
  expect(leftOut).toEqual([left('models', 'acme/two', null)]);
});

it('leaves a provider out whose dialect is not known, with the places there, and models that have no other place', () => {
  const elsewhere = { ...deployment, id: 'other/one', provider: 'other' };
  const { providers, models, available, leftOut } = read({
    providers: [{ ...provider, dialect: 'telepathy' }, other],
    models: [model, { ...model, id: 'acme/two', deployments: [deployment, elsewhere] }],
    available: [model.id, 'acme/two'],
  });
  expect(providers.map(({ id }) => id)).toEqual(['other']);
  expect(models).toMatchObject([{ id: 'acme/two', deployments: [{ provider: 'other' }] }]);
  expect(available).toEqual(['acme/two']);
  const [first, ...rest] = leftOut;
  expect(first).toEqual(left('providers', 'acme', null));
  expect(rest).toEqual([left('models', model.id, null), left('models', 'acme/two', 'deployments')]);
});

it('takes a price of which it does not know a part for unknown, never for less than it is', () => {
  const term = { on: 'tide', value: 'high', factor: '2' };
  const { models, leftOut } = read({ models: [{ ...model, prices: { ...model.prices, terms: { served: [term] } } }] });
  expect(models).toMatchObject([{ prices: null }]);
  expect(leftOut).toEqual([left('models', model.id, 'prices')]);
});

it('keeps callers away from a place that an operator holds in a way that is not known', () => {
  const held = { deployment: deployment.id, state: 'asleep', reason: null, by: 'an operator', since: 1, until: null };
  expect(read({ held: [held] }).held).toEqual([{ ...held, state: 'closed' }]);
});

it('is refused with a guardrail that is not known: what an operator forbids is never left out', () => {
  const guardrail = { id: 'g', kind: 'oracle', appliesTo: 'both', action: 'block' };
  expect(toldSnapshot.safeParse(told({ guardrails: [guardrail] })).success).toBe(false);
});
