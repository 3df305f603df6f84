import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { proveTenants, tenantsEnvironment } from './prove-tenants';

/** `npm run prove:tenants`: exits with 0 when no tenant sees anything of another, or can tell that it exists. */
async function main(): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-tenants-'));
  await buildServices();
  const stack = await startStack({
    dataFolder,
    durable: false,
    environment: { TOLLGATE_SANDBOX: 'on', ...tenantsEnvironment },
  });
  try {
    const { requests, leaks } = await proveTenants(stack, true);
    for (const leak of leaks) console.log(`  ${leak}`);
    console.log(`${requests} requests with ids of another tenant: ${leaks.length} leaks`);
    process.exitCode = leaks.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

void main();
