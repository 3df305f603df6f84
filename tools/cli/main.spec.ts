import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

it('ends quietly when whoever reads what it prints goes away', async () => {
  const command = ['--import', 'tsx', join(__dirname, 'main.ts'), '--help'];
  const cli = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  cli.stdout.destroy();
  const [complaints, [exitCode]] = await Promise.all([text(cli.stderr), once(cli, 'exit')]);
  expect({ complaints, exitCode }).toEqual({ complaints: '', exitCode: 0 });
});
