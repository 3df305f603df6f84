import type { ListedModel } from '../api/catalog';
import { asAskedWith, availableTo, exampleModel, preferredModel, usualModel } from './preferred-model';

const model = (id: string, changes: Partial<ListedModel> = {}): ListedModel => ({
  ...{ id, name: id, provider: 'a', providerName: 'A', kind: 'text', status: 'active' },
  ...{ contextWindow: null, maxOutputTokens: null, inputModalities: ['text'], outputModalities: ['text'] },
  ...{ capabilities: { tools: true }, pricing: { input: '1', output: '4' }, available: true, simulated: false },
  ...changes,
});
const simulated = { simulated: true };
const usual = model(usualModel);

it.each([
  ['the last that was asked', [model('a/one'), usual], 'a/one', 'a/one'],
  ['the usual one, where the last is gone', [model('a/one'), usual], 'a/gone', usualModel],
  ['the usual one, where all are simulated', [model('a/one', simulated), model(usualModel, simulated)], '', usualModel],
  ['one that really answers', [model('a/one', simulated), model(usualModel, simulated), model('b/two')], '', 'b/two'],
  [
    'none that cannot be asked',
    [model('a/one', { available: false }), model('b/embedding', { kind: 'embedding' })],
    '',
    null,
  ],
  ['none, where there is none', [], '', null],
])('is %s', (_what, models, last, expected) => expect(preferredModel(models, last)).toBe(expected));

it('is not the first of the alphabet, but the cheapest in service that calls tools and is sold at a price', () => {
  const models = [
    model('a/dear', { pricing: { input: '15', output: '75' } }),
    model('b/given-away', { pricing: { input: '0', output: '0' } }),
    model('c/unpriced', { pricing: null }),
    model('d/going', { status: 'deprecated', pricing: { input: '0.1', output: '0.1' } }),
    model('e/without-tools', { capabilities: {}, pricing: { input: '0.1', output: '0.1' } }),
    model('f/small', { pricing: { input: '0.2', output: '1' } }),
  ];
  expect(preferredModel(models)).toBe('f/small');
});

it('may be one of a provider of which the account of a key brought one', () => {
  const models = [
    model('a/one', { available: false }),
    model('b/two', { available: false, availableWithKeyOf: ['b'] }),
    model('c/three'),
  ];
  const idsFor = (ownKeyProviders?: string[]) => availableTo({ ownKeyProviders }, models).map(({ id }) => id);
  expect(idsFor(['a', 'b'])).toEqual(['b/two', 'c/three']);
  expect(idsFor()).toEqual(['c/three']);
  expect(preferredModel(availableTo({ ownKeyProviders: ['b'] }, models), 'b/two')).toBe('b/two');
  const standing = (...keys: { ownKeyProviders?: string[] }[]) =>
    asAskedWith(keys, models).map(({ available }) => available);
  expect(standing({}, { ownKeyProviders: ['b'] })).toEqual([false, true, true]);
  expect(standing({ ownKeyProviders: ['a'] })).toEqual([false, false, true]);
  expect(standing()).toEqual([false, false, true]);
});

it.each([
  ['the usual one, where a key may use all', [], usualModel],
  ['one of those that a key is for', ['b/*'], 'b/cheap'],
  ['what a key is for by name, though no list has it', ['c/*', 'c/unlisted'], 'c/unlisted'],
  ['the usual one, where no name is known', ['c/*'], usualModel],
])('is in an example %s', (_what, patterns, expected) => {
  const cheap = model('b/cheap', { pricing: { input: '0.1', output: '0.1' } });
  expect(exampleModel([usual, model('b/dear'), cheap], patterns)).toBe(expected);
});
