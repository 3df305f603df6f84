import 'reflect-metadata';
import { connectToNats } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { EnvironmentError } from '@tollgate/configuration';
import { setTimeout as sleep } from 'node:timers/promises';
import { Edge } from './edge';
import { Settings } from './settings';

const logger = createLogger('edge');

async function main(): Promise<void> {
  const settings = new Settings();
  const connection = await connectToNats({ ...settings.nats, name: 'edge', logger });
  const edge = await Edge.start(settings, connection, logger);
  stopOnSignal(edge, () => connection.close());
  while (!(await edge.isReady())) await sleep(100);
  logger.info({ port: edge.port }, 'ready');
}

function stopOnSignal(edge: Edge, disconnect: () => Promise<void>): void {
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    logger.info('stopping');
    await edge.stop();
    await disconnect();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop().catch((error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        process.exit(1);
      });
    });
  }
}

main().catch((error: unknown) => {
  if (error instanceof EnvironmentError) console.error(error.message);
  else logger.fatal({ err: error }, 'edge could not start');
  process.exit(1);
});
