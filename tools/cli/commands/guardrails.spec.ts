import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ran } from '../ran.fixture';

const changes = [{ section: 'guardrails', id: 'hush', what: 'added', fields: [] }];
const outcome = { version: 3, applied: true, changes, passedOver: [] };

it('guardrails set is written down before, and takes a guardrail as a whole', async () => {
  const line =
    'guardrails set hush --pattern hu+sh --pattern [a,b] --ignore-case --action block --models openai/* --new';
  const { asked, out } = await ran(line, [{}, outcome]);
  expect(asked).toMatchObject([
    { action: 'guardrail-change-asked', detail: { guardrail: 'hush', reason: null } },
    {
      ...{ subject: 'catalog.guardrails.set', mustBeNew: true, by: 'cli:spec' },
      guardrail: {
        ...{ id: 'hush', kind: 'regex', patterns: ['hu+sh', '[a,b]'], ignoreCase: true, longest: 128 },
        ...{ appliesTo: 'both', action: 'block', keys: [], models: ['openai/*'] },
      },
    },
  ]);
  expect(out).toContain('+ guardrails hush');
  expect(out).toContain('Version 3 of the settings');
});

it('guardrails set takes personal data in place of patterns', async () => {
  const line = 'guardrails set hush --detectors email,iban --applies-to input';
  const { asked } = await ran(line, [{}, { ...outcome, applied: false, changes: [] }]);
  expect(asked[1]).toMatchObject({ guardrail: { kind: 'pii', detectors: ['email', 'iban'], appliesTo: 'input' } });
});

it.each([
  ['hush', 'either --pattern'],
  ['hush --pattern a --detectors email', 'either --pattern'],
  ['hush --detectors mails', 'This is no guardrail'],
  ['Hush --pattern a', 'lower-case letter'],
])('guardrails set refuses %j', async (said, problem) => {
  await expect(ran(`guardrails set ${said}`, [])).rejects.toThrow(problem);
});

it('guardrails remove takes one out, and list tells who says them', async () => {
  const { asked } = await ran('guardrails remove hush --reason noise', [{}, outcome]);
  expect(asked).toMatchObject([
    { action: 'guardrail-removal-asked', detail: { guardrail: 'hush', reason: 'noise' } },
    { subject: 'catalog.guardrails.remove', guardrail: 'hush' },
  ]);
  const guardrails = [
    { id: 'hush', origin: 'settings', standing: 'in-force', problem: null, said: { kind: 'pii', action: 'flag' } },
    { id: 'of-file', origin: 'file', standing: 'in-force', problem: null, said: null },
  ];
  const { out } = await ran('guardrails list', [{ version: 3, guardrails }]);
  expect(out).toMatch(/^hush +settings +in force +kind="pii" action="flag"/m);
  expect(out).toMatch(/^of-file +from the file +in force/m);
  expect((await ran('guardrails list', [{ version: 0, guardrails: [] }])).out).toBe('No guardrail is set.');
});

const passed = { holding: 2, findings: [], blockedBy: null, goesOn: 'hush' };

it('guardrails try takes its text from a file, too, and prints what would happen', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'tollgate-')), 'text.txt');
  writeFileSync(path, 'hush, please');
  const { asked, out } = await ran(`guardrails try --file ${path}`, [passed]);
  expect(asked).toEqual([{ path: '/guardrails/try', text: 'hush, please', side: 'input' }]);
  expect(out).toBe('It goes on. 2 guardrails hold for it. Nothing is found.');
  const blocked = { ...passed, findings: [{ guardrail: 'hush', action: 'block' }], blockedBy: 'hush', goesOn: null };
  expect((await ran('guardrails try hush', [blocked])).out).toMatch(/^It is blocked by hush\. 2 .+\nhush +block$/s);
  expect(JSON.parse((await ran('guardrails try hush --json', [blocked])).out)).toEqual(blocked);
});

it('guardrails try takes one that is not in force, alone', async () => {
  const { asked } = await ran('guardrails try hush --detectors email', [passed]);
  expect(asked).toMatchObject([{ draft: { kind: 'pii', detectors: ['email'], appliesTo: 'both', action: 'flag' } }]);
});

it.each([
  ['', 'either a text or --file'],
  ['hush --file x', 'either a text or --file'],
  ['--file /nowhere/x', 'cannot be read'],
  ['hush --action block', 'either --pattern'],
  ['hush --pattern a --key key-1', '--model and --key are of guardrails in force'],
])('guardrails try refuses %j', async (said, problem) => {
  await expect(ran(`guardrails try ${said}`.trim(), [])).rejects.toThrow(problem);
});
