import { findNatsServer, findValkeyServer } from '@tollgate/testing';
import { findBrowser } from '../e2e/browser';

/**
 * Has the servers and the browser that tests start at hand before the first test waits for one, and says
 * where each is.
 */
async function showPrograms(): Promise<void> {
  console.log(`chromium       ${findBrowser()}`);
  console.log(`nats-server    ${await findNatsServer()}`);
  console.log(`valkey-server  ${(await findValkeyServer()).path}`);
}

showPrograms().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
