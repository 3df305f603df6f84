import { deploymentsClose, deploymentsDrain, deploymentsOpen } from '../commands/deployments-hold';
import { deploymentsIncidents } from '../commands/deployments-incidents';
import { deploymentsList } from '../commands/deployments-list';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  deploymentsList,
  deploymentsIncidents,
  deploymentsClose,
  deploymentsDrain,
  deploymentsOpen,
];
