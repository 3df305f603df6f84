import 'reflect-metadata';
import { EnvironmentError } from '@tollgate/configuration';
import { MeteringService } from './metering-service';
import { readSettings } from './settings';

async function main(): Promise<void> {
  const service = new MeteringService(readSettings());
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    service.stop().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  await service.start();
}

function fail(error: unknown): void {
  console.error(error instanceof EnvironmentError ? error.message : error);
  process.exit(1);
}

main().catch(fail);
