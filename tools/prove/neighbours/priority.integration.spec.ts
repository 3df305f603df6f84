import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { workspaceRoot } from '../../stack/workspace-root';
import { sessionPriority } from './priority';

const script = `
const { workAt, sessionPriority } = require('./tools/prove/neighbours/priority');
const { getPriority } = require('node:os');
workAt(5);
console.log(getPriority(), sessionPriority());
`;

it('gives way to processes of other sessions, too, where the system shares cores among sessions', async () => {
  const args = ['--import', 'tsx', '--eval', script];
  const child = spawn(process.execPath, args, {
    cwd: workspaceRoot,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [told] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(told.trim()).toBe(`5 ${sessionPriority() === null ? null : 5}`);
});
