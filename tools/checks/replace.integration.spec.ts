import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Runs deploy/replace.sh where containers tell these states of health, one after the other, and stay with the
 * last; `new` runs once `up` was said. As Compose does, `up --wait` fails where any container of the service
 * is ill.
 */
function replace(states: Record<string, string[]>): Promise<{ code: number; error: string; asked: string[] }> {
  const program = join(folder, 'docker');
  for (const [id, told] of Object.entries(states)) writeFileSync(join(folder, id), told.join('\n'));
  writeFileSync(
    program,
    `#!/bin/sh
cd ${folder}
echo "$*" >>asked
case "$*" in
  'compose ps'*) echo old; [ ! -e started ] || echo new ;;
  'compose up'*--wait*) touch started; ! grep -q unhealthy old ;;
  'compose up'*) touch started ;;
  inspect*) for id; do :; done; head -n 1 $id; [ "$(wc -l <$id)" -eq 0 ] || sed -i 1d $id ;;
esac
`,
  );
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'sleep'), '#!/bin/sh\n');
  chmodSync(join(folder, 'sleep'), 0o755);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  return new Promise((resolve) =>
    execFile('/bin/sh', [join(workspaceRoot, 'deploy/replace.sh'), 'metering'], { env }, (failure, _, error) => {
      const asked = readFileSync(join(folder, 'asked'), 'utf8').split('\n');
      resolve({ code: failure ? Number(failure.code) : 0, error, asked });
    }),
  );
}

it('replaces an instance that is ill by one that becomes healthy', async () => {
  const { code, asked } = await replace({
    old: ['running unhealthy'],
    new: ['running starting', 'running starting', 'running healthy'],
  });
  expect(code).toBe(0);
  expect(asked).toEqual(expect.arrayContaining(['stop -t 130 old', 'rm old']));
});

it('leaves the old one where the new one is gone', async () => {
  const { code, error, asked } = await replace({ old: ['running healthy'] });
  expect([code, error]).toEqual([1, expect.stringContaining('not to be inspected')]);
  expect(asked.filter((words) => words.startsWith('stop'))).toEqual([]);
});

it.each(['running unhealthy', 'exited starting'])('leaves the old one where the new one is %s', async (state) => {
  const { code, error, asked } = await replace({ old: ['running healthy'], new: ['running starting', state] });
  expect(code).toBe(1);
  expect(error).toContain('new');
  expect(asked.filter((words) => words.startsWith('stop'))).toEqual([]);
});
