import { textOf } from './ask';
import { sampleCallers } from './callers';
import { configYaml, litellmModels } from './config-yaml';
import { planEstate } from './estate';
import { expectedHoldings } from './expected';

const { names, list } = litellmModels(200, 'http://gpu-1:8000/v1');
const estate = planEstate(2_000, names);

describe('the estate that moves', () => {
  it('has two hundred models, each of its own name, some of two places', () => {
    expect(new Set(names).size).toBe(200);
    expect(list.length).toBeGreaterThan(200);
    expect(JSON.parse(configYaml(list))).toMatchObject({ model_list: list });
  });

  it('is the same one each time', () => {
    expect(planEstate(2_000, names)).toEqual(estate);
  });

  it('has every kind of key, each of its own', () => {
    const kinds = new Set(estate.keys.map(({ refused }) => refused));
    expect([...kinds].toSorted()).toEqual(['blocked', 'budget spent', 'expired', 'none', 'team blocked']);
    expect(new Set(estate.keys.map(({ token }) => token)).size).toBe(2_000);
    expect(estate.keys.some(({ team, user }) => team === null && user === null)).toBe(true);
    expect(estate.former.length).toBeGreaterThan(0);
  });

  it('has spent budgets only where they refuse', () => {
    for (const { own, spent, refused } of estate.keys)
      if (own) expect(spent >= own.limit).toBe(refused === 'budget spent');
  });

  it('is reckoned without keys that have expired', () => {
    const expired = estate.keys.filter(({ refused }) => refused === 'expired').length;
    expect(expectedHoldings(estate).keys).toBe(2_000 - expired + estate.former.length);
  });

  it('has so many callers who go on, on every surface, and each asks what its key may ask', () => {
    const callers = sampleCallers(estate, names, 100);
    const goOn = callers.filter(({ refused }) => refused === 'none');
    expect(goOn).toHaveLength(100);
    expect(new Set(goOn.map(({ apiKey }) => apiKey)).size).toBe(100);
    expect(new Set(goOn.map(({ surface }) => surface)).size).toBe(3);
    for (const { apiKey, model, refused } of callers) {
      const key = estate.keys.find((one) => one.apiKey === apiKey);
      const own = key?.models.filter((name) => name !== 'all-team-models') ?? [];
      if (own.length > 0) expect(own.includes(model)).toBe(refused !== 'model');
    }
  });
});

it('reads the words of an answer in the form of its surface alone', () => {
  const chat = JSON.stringify({ choices: [{ message: { content: 'Nile' } }] });
  const messages = JSON.stringify({ content: [{ type: 'text', text: 'Nile' }] });
  const responses = JSON.stringify({ output: [{ type: 'reasoning' }, { content: [{ text: 'Nile' }] }] });
  expect(textOf('/v1/chat/completions', chat)).toBe('Nile');
  expect(textOf('/v1/messages', messages)).toBe('Nile');
  expect(textOf('/v1/responses', responses)).toBe('Nile');
  expect(textOf('/v1/responses', chat)).toBeNull();
  expect(textOf('/v1/messages', '{"content":[]}')).toBeNull();
});
