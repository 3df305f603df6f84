import 'reflect-metadata';
import { EnvironmentError, TollgateFileError } from '@tollgate/configuration';
import { CatalogService } from './catalog-service';
import { readSettings } from './settings';

async function start(): Promise<void> {
  const service = await CatalogService.start(readSettings());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      service.stop().then(() => process.exit(0), stopWith);
    });
  }
}

function stopWith(error: unknown): void {
  const isOperators = error instanceof EnvironmentError || error instanceof TollgateFileError;
  console.error(isOperators ? error.message : error);
  process.exit(1);
}

start().catch(stopWith);
