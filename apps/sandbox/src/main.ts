import 'reflect-metadata';
import { EnvironmentError } from '@tollgate/configuration';
import { createLogger, InternalServer, serviceRegistry } from '@tollgate/observability';
import { ControlError } from './behaviour/behaviour';
import { readSandboxEnvironment } from './environment';
import { createSandbox } from './sandbox';

async function main(): Promise<void> {
  const environment = readSandboxEnvironment();
  const logger = createLogger('sandbox', environment.LOG_LEVEL);
  const app = await createSandbox(environment);
  const internal = new InternalServer(serviceRegistry(), {});
  await app.listen(environment.PORT, environment.HOST);
  await internal.listen(environment.INTERNAL_PORT, environment.INTERNAL_HOST);
  logger.info({ url: await app.getUrl() }, 'ready');

  const stop = () => {
    Promise.all([app.close(), internal.close()]).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  const isPlain = error instanceof EnvironmentError || error instanceof ControlError;
  process.stderr.write(
    `${isPlain ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
});
