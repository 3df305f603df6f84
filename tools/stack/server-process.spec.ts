import { ServerProcess } from './server-process';
import type { EmbeddedServer } from './server-process';

/** A server that is down, and comes back when it is told to. */
class SlowServer implements EmbeddedServer {
  readonly url = '';
  readonly happened: string[] = [];
  pid: number | null = null;
  comeBack: () => void = () => undefined;

  async restart(): Promise<void> {
    await new Promise<void>((resolve) => (this.comeBack = resolve));
    this.pid = process.pid;
    this.happened.push('back');
  }

  async stop(): Promise<void> {
    this.pid = null;
    this.happened.push('stopped');
  }
}

const listener = { changed: () => undefined, crashed: () => undefined };

it('is not left running by a stop that comes while it is started again', async () => {
  const server = new SlowServer();
  const process = new ServerProcess('postgres', server, 'postgres.log', listener);
  const restarted = process.restart();
  const stopped = process.stop();
  server.comeBack();
  await Promise.all([restarted, stopped]);
  expect(server.happened).toEqual(['back', 'stopped']);
  expect(process.pid).toBeNull();
});

it('is not started again after its stop', async () => {
  const server = new SlowServer();
  const process = new ServerProcess('postgres', server, 'postgres.log', listener);
  await process.stop();
  await process.restart();
  expect(server.happened).toEqual(['stopped']);
});

it('is started again where somebody wants it after its stop', async () => {
  const server = new SlowServer();
  const postgres = new ServerProcess('postgres', server, 'postgres.log', listener);
  await postgres.stop();
  const started = postgres.startAgain();
  server.comeBack();
  await started;
  expect(postgres.pid).toBe(process.pid);
  await postgres.stop();
  expect(server.happened).toEqual(['stopped', 'back', 'stopped']);
});
