import type { Say } from '../proof';
import { withStack } from '../with-stack';
import { proveTenants, tenantsEnvironment } from './prove-tenants';

/** Holds when no tenant sees anything of another, or can tell that it exists. */
export function runTenants(_values: object, say: Say): Promise<boolean> {
  return withStack({ durable: false, environment: tenantsEnvironment }, async (stack) => {
    const { requests, leaks } = await proveTenants(stack, true);
    for (const leak of leaks) say(`  ${leak}`);
    say(`${requests} requests with ids of another tenant: ${leaks.length} leaks`);
    return leaks.length === 0;
  });
}
