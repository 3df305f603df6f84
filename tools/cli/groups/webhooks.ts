import { webhooksCreate, webhooksRemove, webhooksList, webhooksTest, webhooksDeliveries } from '../commands/webhooks';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  webhooksCreate,
  webhooksRemove,
  webhooksList,
  webhooksTest,
  webhooksDeliveries,
];
