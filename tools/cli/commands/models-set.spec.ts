import { ran } from '../ran.fixture';

const outcome = {
  ...{ version: 5, applied: true },
  changes: [{ section: 'models', id: 'a/b', what: 'changed', fields: [{ field: 'name', before: null, after: '"B"' }] }],
};

describe('models set', () => {
  it('says what is named, writes it down first, and tells the version', async () => {
    const line =
      'models set a/b --name B --context-window 1_000 --deployment openai/b,weight=3,at-once=2 --deployment azure' +
      ' --fallback c/d,e/f --alias none --can tools --cannot vision --unset timeouts --reason why';
    const { asked, out } = await ran(line, [{}, outcome]);
    expect(asked[0]).toMatchObject({ action: 'model-change-asked', detail: { model: 'a/b', reason: 'why' } });
    expect(asked[1]).toEqual({
      ...{ subject: 'catalog.models.set', model: 'a/b', by: 'cli:spec', reason: 'why', unset: ['timeouts'] },
      ...{ name: 'B', contextWindow: 1_000, fallbacks: ['c/d', 'e/f'], aliases: [] },
      deployments: [{ provider: 'openai', upstreamModel: 'b', weight: 3, maxConcurrent: 2 }, { provider: 'azure' }],
      capabilities: { tools: true, vision: false },
    });
    expect(out).toContain('~ models a/b\n    name: "B"\n\nVersion 5 of the settings');
  });

  it.each([
    ['models set a/b', 'Name what to set'],
    ['models set a/b --can fly', 'fly'],
    ['models set a/b --unset wings', 'unset'],
    ['models set a/b --context-window 0', 'whole number'],
    ['models set a/b --deployment openai/b,wight=3', 'Give a provider'],
    ['models set a/b --deployment openai/b,weight=heavy', 'Give a provider'],
  ])('refuses what is none: %s', async (line, problem) => {
    await expect(ran(line, [])).rejects.toThrow(problem);
  });
});

it('models remove takes back what was set, and says so before', async () => {
  const { asked } = await ran('models remove a/b', [{}, outcome]);
  expect(asked).toMatchObject([
    { action: 'model-removal-asked', detail: { model: 'a/b' } },
    { subject: 'catalog.models.remove', model: 'a/b', by: 'cli:spec' },
  ]);
});

it('models list --set tells who says what, and what does not hold', async () => {
  const models = [
    { model: 'a/b', origin: 'file', standing: 'in-force', problem: null, said: null },
    { model: 'c/d', origin: 'settings', standing: 'set-aside', problem: 'no price', said: { fallbacks: ['a/b'] } },
  ];
  const { out } = await ran('models list --set', [{ version: 3, models }]);
  expect(out).toMatch(/a\/b +from the file +in force/);
  expect(out).toMatch(/c\/d +settings +set aside: it does not fit +fallbacks=\["a\/b"\] no price/);
});
