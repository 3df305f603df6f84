import { readFileSync } from 'node:fs';
import { startNatsServer } from './nats-server';
import { startPostgres } from './postgres';

it.each([
  ['nats-server', startNatsServer],
  ['Postgres', () => startPostgres()],
])('%s is given nothing of its own that whoever starts it has in its environment', async (_name, start) => {
  const server = await start();
  const environment = readFileSync(`/proc/${server.pid}/environ`, 'utf8');
  expect(environment).toContain('PATH=');
  // Jest sets it, where a program would inherit it: what a test sets is seen by the test alone.
  expect(environment).not.toContain('NODE_ENV');
  await server.stop();
});
