import 'reflect-metadata';
import { EnvironmentError, TollgateFileError } from '@tollgate/configuration';
import { AccountsService } from './accounts-service';
import { readSettings } from './settings';

async function main(): Promise<void> {
  const service = new AccountsService(readSettings());
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
  const isPlain = error instanceof EnvironmentError || error instanceof TollgateFileError;
  console.error(isPlain ? error.message : error);
  process.exit(1);
}

main().catch(fail);
