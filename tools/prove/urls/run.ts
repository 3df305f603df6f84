import type { Say } from '../proof';
import { withStack } from '../with-stack';
import { proveUrls } from './prove-urls';

/** Holds when no address in any field of any surface is ever connected to. */
export function runUrls(_values: object, say: Say): Promise<boolean> {
  return withStack({ durable: false }, async (stack) => {
    const { requests, models, byStatus, connections, failures } = await proveUrls(stack, { everyUrl: true });
    for (const failure of failures) say(`  ${failure}`);
    say(`Answers by status: ${JSON.stringify(byStatus)}`);
    say(`${requests} requests with addresses of ours, to models of ${models} dialects: ${connections} connections`);
    return connections === 0 && !Object.keys(byStatus).some((status) => status >= '500');
  });
}
