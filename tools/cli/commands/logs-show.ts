import { administrationOperations, contentLogOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { loggedText } from '../text/logged-content';

/**
 * `logs show`: a logged request with its answer. The audit log of its account keeps who read it; what cannot
 * be written down is not shown.
 */
export function logsShow({ gateway, output, actor }: Surroundings): Command {
  return new Command('show')
    .description('show a logged request and its answer; the audit log keeps that you did')
    .argument('<event or request id>', 'an event id, or the x-request-id of an answer (the newest with it)')
    .option('--json', 'print JSON')
    .action(async (asked: string, { json }: { json?: boolean }) => {
      const { id, requestId, keyId, accountId } = await gateway.call(contentLogOperations.find, { id: asked });
      const detail = { eventId: id, requestId, keyId };
      await gateway.call(administrationOperations.recordAct, { accountId, actor, action: 'content-read', detail });
      const logged = await gateway.call(contentLogOperations.read, { id });
      output.show(logged, json, () => loggedText(logged));
    });
}
