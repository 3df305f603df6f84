import { readFileSync } from 'node:fs';
import { startNatsServer } from './nats-server';
import { startPostgres } from './postgres';

const key = 'OPENAI_API_KEY';
const before = process.env[key];
beforeAll(() => (process.env[key] = 'a key of a provider'));
afterAll(() => {
  if (before === undefined) Reflect.deleteProperty(process.env, key);
  else process.env[key] = before;
});

it.each([
  ['nats-server', startNatsServer],
  ['Postgres', () => startPostgres()],
])('%s is not given the keys of providers that whoever starts it holds', async (_name, start) => {
  const server = await start();
  const environment = readFileSync(`/proc/${server.pid}/environ`, 'utf8');
  expect(environment).toContain('PATH=');
  expect(environment).not.toContain(key);
  await server.stop();
});
