import { ControlError } from '@tollgate/contracts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Forbidden, Refusal } from '../failure';
import { ran } from '../ran.fixture';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-config-'));
const file = join(folder, 'settings.yaml');
const document = 'models: [{id: a/b, fallbacks: [c/d]}]\n';
const holds = { version: 4, document, setAt: 0, setBy: 'cli:ada', reason: 'outage', inForce: 4, entries: [] };
const change = {
  ...{ section: 'models', id: 'a/b', what: 'changed' },
  fields: [{ field: 'fallbacks', before: '["c/d"]', after: null }],
};
beforeEach(() => writeFileSync(file, document));
afterAll(() => rmSync(folder, { recursive: true }));

describe('config', () => {
  it('shows which version holds and where each entry comes from, with what does not hold', async () => {
    const entries = [
      { section: 'models', id: 'x/y', origin: 'file', standing: 'in-force', problem: null },
      { section: 'models', id: 'a/b', origin: 'settings', standing: 'set-aside', problem: 'there is no model c/d' },
    ];
    const { out } = await ran('config show', [{ ...holds, entries, inForce: 3 }]);
    expect(out).toContain('Version 4, set by cli:ada at 1970-01-01T00:00:00Z: outage\n');
    expect(out).toContain('still has version 3 in force');
    expect(out).toMatch(/models +x\/y +from the file +in force\nmodels +a\/b +settings +set aside/);
    expect(out).toMatch(/^ {2}- there is no model c\/d$/m);
    const nothing = { ...holds, version: 0, document: '', setAt: null, setBy: null, reason: null, inForce: 0 };
    expect((await ran('config show', [nothing])).out).toBe('Nothing was ever set.');
  });

  it('exports a document as it was given, of an older version too', async () => {
    expect((await ran('config export', [holds])).out).toBe(`# version 4\n${document.trimEnd()}`);
    expect(await ran('config export --of 0', [])).toEqual({ asked: [], out: '' });
    const settings = { version: 2, document: '# old\n', setAt: 0, setBy: 'x', reason: null };
    const { asked, out } = await ran('config export --of 2', [{ settings }]);
    expect([asked, out]).toEqual([[{ subject: 'catalog.settings.find', version: 2 }], '# old']);
  });

  it('tells what a file would change, and ends as diff does', async () => {
    expect((await ran(`config diff ${file}`, [holds])).out).toBe('Nothing changes.');
    writeFileSync(file, 'models: [{id: e/f, aliases: [x]}, {id: a/b, hedgeAfterMs: 5, fallbacks: [g/h]}]\n');
    let told = '';
    const fits = { version: 4, applied: false, changes: [change] };
    await expect(ran(`config diff ${file}`, [holds, fits], {}, (text) => (told += text))).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/version 4\)\.$/),
    });
    expect(told).toBe(
      [
        '~ models a/b',
        '    fallbacks: ["c/d"] -> ["g/h"]',
        '    hedgeAfterMs: 5',
        '+ models e/f',
        '    aliases: ["x"]',
      ].join('\n'),
    );
    writeFileSync(file, 'providers: [{id: x, apiKeyEnv: A}]\n');
    await expect(ran(`config diff ${file}`, [holds])).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('names of environment variables stand in tollgate.yaml alone'),
    });
    await expect(ran(`config diff ${join(folder, 'none')}`, [holds])).rejects.toMatchObject({ exitCode: 2 });
  });

  it('ends as with a fault where the gateway alone refuses, and says where it may not be asked', async () => {
    writeFileSync(file, '# version 4\nmodels: [{id: a/b, fallbacks: [no/such]}]\n');
    const fault = new ControlError(
      'invalid',
      'The settings cannot be used.\n  - settings:1:32: there is no model no/such',
    );
    let told = '';
    await expect(ran(`config diff ${file}`, [holds, fault], {}, (text) => (told += text))).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('settings:2:32: there is no model no/such'),
    });
    expect(told).toBe('');
    const mayNot = new Forbidden('This token lacks config:write.');
    await expect(ran(`config diff ${file}`, [holds, mayNot])).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/version 4\)\. Whether the gateway would take it is not known: .*config:write/),
    });
  });

  it('ends otherwise where it cannot tell what a file would change, so that nobody takes it for a change', async () => {
    const diff = (reply: unknown) => ran(`config diff ${file}`, [reply]);
    const refusal = new ControlError('forbidden', 'The token may not do this.');
    await expect(diff(refusal)).rejects.toMatchObject({ exitCode: 2, message: refusal.message });
    await expect(diff(new ControlError('unavailable', 'No answer.'))).rejects.toMatchObject({ exitCode: 3 });
    await expect(diff({ ...holds, document: 'futures: []' })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /^The settings of version 4, which hold, cannot be read by this release:\n.*futures/,
      ),
    });
  });

  it('applies a file to the version that it saw, after the audit log says so', async () => {
    const outcome = { version: 5, applied: true, changes: [change] };
    const { asked, out } = await ran(`config apply ${file} --reason calm`, [holds, {}, outcome]);
    const detail = { from: 4, reason: 'calm' };
    expect(asked).toEqual([
      { subject: 'catalog.settings.get' },
      { subject: 'accounts.administration.record-act', actor: 'cli:spec', action: 'settings-change-asked', detail },
      {
        ...{ subject: 'catalog.settings.apply', document, version: 4, reason: 'calm', dryRun: false },
        ...{ takesAllBack: false, by: 'cli:spec' },
      },
    ]);
    expect(out).toBe('~ models a/b\n    fallbacks: ["c/d"] -> (not said)\n\nVersion 5 is in force.');
    const late = await ran(`config apply ${file}`, [holds, {}, { ...outcome, inForce: 4 }]);
    expect(late.out).toMatch(
      /Version 5 is set. The instance that took it has version 4 in force until it looks again.$/,
    );
    const same = { version: 4, applied: false, changes: [] };
    expect((await ran(`config apply ${file}`, [holds, {}, same])).out).toMatch(/^This is what holds/);
  });

  it('applies what was exported to the version that it was exported from, unless another is named', async () => {
    writeFileSync(file, `${(await ran('config export', [holds])).out}\n`);
    const outcome = { version: 5, applied: true, changes: [] };
    const { asked } = await ran(`config apply ${file}`, [holds, {}, outcome]);
    expect(asked.slice(1)).toMatchObject([
      { detail: { from: 4 } },
      { subject: 'catalog.settings.apply', document, version: 4 },
    ]);
    const named = await ran(`config apply ${file} --if-version 5`, [holds, {}, outcome]);
    expect(named.asked[2]).toMatchObject({ document, version: 5 });
    expect((await ran(`config diff ${file}`, [holds])).out).toBe('Nothing changes.');
  });

  it('tells faults by the lines of the file, of which the one with the version is not sent', async () => {
    const faults = (line: number): ControlError =>
      new ControlError('invalid', `The settings cannot be used.\n  - settings:${line}:3: models: what is it?`);
    writeFileSync(file, `# version 4\n${document}`);
    await expect(ran(`config apply ${file}`, [holds, {}, faults(9)])).rejects.toThrow(faults(10).message);
    writeFileSync(file, document);
    await expect(ran(`config apply ${file}`, [holds, {}, faults(9)])).rejects.toThrow(faults(9).message);
  });

  it('takes nothing back for a file that is empty, as after a program in front of it that failed', async () => {
    for (const empty of ['', '\n \n', '# none\n', 'null\n', '---\n', '~', 'models: []\n']) {
      writeFileSync(file, empty);
      await expect(ran(`config apply ${file}`, [])).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/is empty\. Nothing was changed.*config rollback 0/),
      });
      await expect(ran(`config diff ${file}`, [])).rejects.toMatchObject({ exitCode: 2 });
    }
    writeFileSync(file, '# version 4\n');
    const none = { ...holds, document: '' };
    const same = { version: 4, applied: false, changes: [] };
    expect((await ran(`config apply ${file}`, [none, {}, same])).asked.at(-1)).toMatchObject({ document: '' });
    expect((await ran(`config diff ${file}`, [none])).out).toBe('Nothing changes.');
  });

  it('only has a file checked where it is asked so, and writes nothing down', async () => {
    const outcome = { version: 4, applied: false, changes: [change] };
    const { asked, out } = await ran(`config apply ${file} --dry-run --if-version 4`, [holds, outcome]);
    expect(asked.slice(1)).toMatchObject([{ subject: 'catalog.settings.apply', version: 4, dryRun: true }]);
    expect(out).toMatch(/Nothing was changed\.$/);
  });

  it('says what the gateway says of a version that holds no more', async () => {
    const outdated = new ControlError('outdated', 'The settings are of version 5 now.');
    await expect(ran(`config apply ${file} --if-version 4`, [holds, {}, outdated])).rejects.toBe(outdated);
  });

  it('shows the history, and goes back in it', async () => {
    const versions = [
      { version: 2, setAt: 0, setBy: 'cli:ada', reason: 'roll-back to version 1' },
      { version: 1, setAt: 0, setBy: 'token:ci', reason: null },
    ];
    const { out } = await ran('config history', [{ versions, next: null }]);
    expect(out).toMatch(/^2 +1970-01-01T00:00:00Z +cli:ada +roll-back to version 1\n1 +.* +token:ci$/m);
    expect((await ran('config history', [{ versions: [], next: null }])).out).toBe('Nothing was ever set.');
    const find = { settings: { ...versions[1], document } };
    const back = await ran('config rollback 1', [holds, find, {}, { version: 3, applied: true, changes: [change] }]);
    expect(back.asked).toEqual([
      { subject: 'catalog.settings.get' },
      { subject: 'catalog.settings.find', version: 1 },
      {
        subject: 'accounts.administration.record-act',
        ...{ actor: 'cli:spec', action: 'settings-rollback-asked', detail: { to: 1, reason: null } },
      },
      { subject: 'catalog.settings.roll-back', to: 1, by: 'cli:spec' },
    ]);
    const aside = { section: 'models', id: 'a/b', origin: 'settings', standing: 'overridden', problem: null };
    const passing = { version: 3, applied: true, changes: [change], passedOver: [aside] };
    const { out: passed } = await ran('config rollback 1', [holds, find, {}, passing]);
    expect(passed).toContain('! models a/b: the file says it, too, and wins\n\nVersion 3 is in force.');
    const none = { version: 3, applied: true, changes: [] };
    const only = await ran('config rollback 1 --if-version 2', [holds, find, {}, none]);
    expect(only.asked[3]).toMatchObject({ to: 1, version: 2 });
    await expect(ran('config rollback yesterday', [])).rejects.toThrow('whole number');
  });
});

describe('config, where it removes a plan', () => {
  const limits = '{rpm: 9, quotaTokens: 9}';
  const twoPlans = { ...holds, document: `plans: {team: ${limits}, 'night': ${limits}}\n` };
  const removed = { section: 'plans', id: 'team', what: 'removed', fields: [] };
  const plan = { rpm: 9, tpm: null, quotaTokens: 9, concurrency: null, modelLimits: [], origin: 'settings' };
  const used = {
    plans: [
      { ...plan, name: 'team', keys: 3, accounts: 1 },
      { ...plan, name: 'night', keys: 0, accounts: 0 },
      { ...plan, name: 'pro', keys: 7, accounts: 7 },
    ],
  };
  const gone = { version: 5, applied: true, changes: [removed] };
  const says = /^! plans team: 3 keys and 1 account have it;.* of beta/m;

  it('goes back only where that is meant, if keys have it', async () => {
    await expect(ran('config rollback 0', [twoPlans, used])).rejects.toThrow(
      '3 keys and 1 account have the plan team, which version 0 lacks. Say --yes',
    );
    const { asked, out } = await ran('config rollback 0 --yes', [twoPlans, used, {}, gone]);
    expect(asked).toMatchObject([
      { subject: 'catalog.settings.get' },
      { subject: 'accounts.administration.list-plans' },
      { action: 'settings-rollback-asked' },
      { subject: 'catalog.settings.roll-back', to: 0 },
    ]);
    expect(out).toMatch(says);
    const unused = { plans: [{ ...plan, name: 'team', keys: 0, accounts: 0 }] };
    expect((await ran('config rollback 0', [twoPlans, unused, {}, gone])).out).not.toMatch(says);
  });

  it('goes back where nobody can say who has it, and names what is not known', async () => {
    const unavailable = new ControlError('unavailable', 'accounts does not answer.');
    const { out } = await ran('config rollback 0', [twoPlans, unavailable, {}, gone]);
    expect(out).toMatch(/^! plans team: who has it could not be asked;.* of beta/m);
  });

  it('does what it is asked for a token that may only write, which is told nothing of plans', async () => {
    const mayNot = new Refusal('The token lacks config:read.');
    const { asked } = await ran('config rollback 0', [mayNot, {}, gone]);
    expect(asked[2]).toMatchObject({ subject: 'catalog.settings.roll-back', to: 0 });
    const applied = await ran(`config apply ${file} --if-version 4`, [mayNot, {}, gone]);
    expect(applied.asked[2]).toMatchObject({ subject: 'catalog.settings.apply', version: 4 });
    await expect(ran(`config apply ${file}`, [mayNot])).rejects.toBe(mayNot);
  });

  it('says who has it when a file without it is compared, checked and applied', async () => {
    const compared: string[] = [];
    await expect(
      ran(`config diff ${file}`, [twoPlans, used, gone], {}, (text) => compared.push(text)),
    ).rejects.toThrow();
    expect(compared.join('')).toMatch(says);
    const checked = await ran(`config apply ${file} --dry-run`, [twoPlans, used, { ...gone, applied: false }]);
    expect(checked.out).toMatch(says);
    const { asked, out } = await ran(`config apply ${file} --if-version 4`, [twoPlans, used, {}, gone]);
    expect(asked[3]).toMatchObject({ subject: 'catalog.settings.apply', version: 4 });
    expect(out).toMatch(says);
  });

  it('says the same as JSON', async () => {
    const left = { plansLeft: [{ name: 'team', use: { keys: 3, accounts: 1 } }] };
    const told: string[] = [];
    const compared = ran(`config diff ${file} --json`, [twoPlans, used, gone], {}, (text) => told.push(text));
    await expect(compared).rejects.toThrow();
    expect(JSON.parse(told.join(''))).toMatchObject({ version: 4, ...left });
    const applied = await ran(`config apply ${file} --json`, [twoPlans, used, {}, gone]);
    expect(JSON.parse(applied.out)).toMatchObject({ version: 5, ...left });
    const back = await ran('config rollback 0 --yes --json', [twoPlans, used, {}, gone]);
    expect(JSON.parse(back.out)).toMatchObject({ version: 5, ...left });
  });
});
