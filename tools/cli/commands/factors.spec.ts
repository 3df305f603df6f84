import { ran } from '../ran.fixture';

const deployment = 'openai:gpt-5.4';
const set = {
  ...{ id: 'factor-1', deployment, factors: { discount: '0.15', markup: '0.2' }, from: 600_000, setAt: 0 },
  ...{ setBy: 'cli:spec', reason: 'why', withdrawnAt: null, withdrawnBy: null },
};
const outcome = { applied: true, setFactors: set, from: 600_000, isKnown: true, before: { discount: '0.1' } };

it('factors set is written down before, sets both, and says from when on they hold', async () => {
  const line = `factors set ${deployment} --discount 0.15 --markup 0.2 --reason why`;
  const { asked, out } = await ran(line, [{}, outcome]);
  expect(asked).toMatchObject([
    { action: 'factor-change-asked', detail: { deployment, from: null, reason: 'why' } },
    { subject: 'catalog.factors.set', deployment, factors: set.factors, dryRun: false, by: 'cli:spec' },
  ]);
  expect(asked[1]).not.toHaveProperty('from');
  expect(out).toContain(`${deployment}: discount 0.1 → discount 0.15, markup 0.2`);
  expect(out).toContain('Set as factor-1: it holds from 1970-01-01T00:10:00Z on.');
});

it('factors set writes nothing down where it only looks, and tells of a deployment that is not there', async () => {
  const looked = { ...outcome, applied: false, setFactors: null, isKnown: false, before: null };
  const { asked, out } = await ran(`factors set ${deployment} --markup 0.2 --at 2h --dry-run`, [looked]);
  expect(asked).toMatchObject([{ subject: 'catalog.factors.set', dryRun: true, from: expect.any(Number) }]);
  expect(out).toContain('Nothing was written.');
  expect(out).toContain(`The catalog has no deployment ${deployment} now`);
});

it('factors set says what a markup comes to that is more than the price', async () => {
  const looked = { ...outcome, applied: false, setFactors: null };
  const { out } = await ran(`factors set ${deployment} --markup 20 --dry-run`, [looked]);
  expect(out).toContain('A markup of 20 is 2,000 %. For 20 % say 0.2.');
  expect((await ran(`factors set ${deployment} --markup 1 --dry-run`, [looked])).out).not.toContain('%');
});

it.each([
  ['', 'needs a discount or a markup'],
  ['--discount 1', 'a fraction below 1'],
  ['--markup 20%', 'a fraction'],
])('factors set refuses %j', async (said, problem) => {
  await expect(ran(`factors set ${deployment} ${said}`.trim(), [])).rejects.toThrow(problem);
});

it('factors remove leaves the price of the model alone', async () => {
  const { asked } = await ran(`factors remove ${deployment}`, [{}, outcome]);
  expect(asked).toMatchObject([{ action: 'factor-removal-asked' }, { deployment, factors: null }]);
});

it('factors withdraw takes back what is to come, and says of what', async () => {
  const { asked, out } = await ran('factors withdraw factor-1 --reason typo', [{}, { setFactors: set }]);
  expect(asked).toMatchObject([
    { action: 'factor-withdrawal-asked', detail: { factors: 'factor-1', reason: 'typo' } },
    { subject: 'catalog.factors.withdraw', id: 'factor-1' },
  ]);
  expect(out).toBe(`What ${deployment} was to have from 1970-01-01T00:10:00Z on is taken back.`);
});

it('factors list and history tell who says what, since when, and what was taken back', async () => {
  const deployments = [
    { deployment: 'acme:one', origin: 'file', factors: { markup: '0.5' }, next: [] },
    { deployment, origin: 'settings', factors: null, next: [{ from: 600_000, factors: set.factors }] },
  ];
  const { out } = await ran('factors list', [{ deployments }]);
  const [, ...lines] = out.split('\n').map((line) => line.split(/ {2,}/));
  expect(lines).toEqual([
    ['acme:one', 'now', 'markup 0.5', 'from the file'],
    [deployment, 'now', 'nothing'],
    [deployment, 'from 1970-01-01T00:10:00Z', 'discount 0.15, markup 0.2', 'set'],
  ]);
  const withdrawn = { ...set, withdrawnAt: 60_000, withdrawnBy: 'cli:bob' };
  const told = await ran(`factors history ${deployment}`, [{ factors: [withdrawn], next: null }]);
  expect(told.asked).toMatchObject([{ deployment, limit: 50 }]);
  expect(told.out).toContain('1970-01-01T00:01:00Z by cli:bob');
  expect((await ran('factors list', [{ deployments: [] }])).out).toContain('costs what its model does');
});
