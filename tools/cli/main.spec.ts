import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

it('ends quietly when whoever reads what it prints goes away', async () => {
  const command = ['--import', 'tsx', join(__dirname, 'main.ts'), '--help'];
  const cli = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  cli.stdout.destroy();
  const [complaints, [exitCode]] = await Promise.all([text(cli.stderr), once(cli, 'exit')]);
  expect({ complaints, exitCode }).toEqual({ complaints: '', exitCode: 0 });
});

/** A file that takes nothing, as on a disk that is full; Linux alone has it. */
const full = '/dev/full';

(existsSync(full) ? it : it.skip)('says that what it prints cannot be written, in a line, and fails', async () => {
  const target = openSync(full, 'w');
  const command = ['--import', 'tsx', join(__dirname, 'main.ts'), '--help'];
  const cli = spawn(process.execPath, command, { stdio: ['ignore', target, 'pipe'] });
  const [complaints, [exitCode]] = await Promise.all([text(cli.stderr ?? Readable.from([])), once(cli, 'exit')]);
  closeSync(target);
  expect({ complaints, exitCode }).toEqual({
    complaints: expect.stringMatching(/^Not all that was to be printed could be written: ENOSPC.*\n$/),
    exitCode: 1,
  });
});
