import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

it('leaves a client that fits the schema as it is, since others may be reading it', () => {
  const generate = () =>
    execFileSync(process.execPath, ['node_modules/nx/dist/bin/nx.js', 'run', 'database:generate'], {
      cwd: root,
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
      stdio: 'ignore',
    });
  const files = () =>
    ['.', 'accounts', 'accounts/client.ts', 'accounts/models/ApiKey.ts', 'metering/models/Price.ts'].map((path) => {
      const { ino, ctimeMs } = statSync(join(__dirname, 'generated', path));
      return { path, ino, ctimeMs };
    });
  generate();
  const before = files();
  generate();
  expect(files()).toEqual(before);
});
