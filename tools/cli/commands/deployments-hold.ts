import { administrationOperations, catalogOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { readDurationS } from '../arguments/time';
import type { Surroundings } from '../gateway';

interface Options {
  reason?: string;
  for?: number;
  json?: boolean;
}

const acts = {
  closed: {
    name: 'close',
    action: 'deployment-closed',
    what: 'send a deployment no request, and end those that run there',
  },
  draining: {
    name: 'drain',
    action: 'deployment-drained',
    what: 'send a deployment no new request; those that run there end by themselves',
  },
  open: { name: 'open', action: 'deployment-opened', what: 'let requests go to a deployment again' },
} as const;

/**
 * `deployments close`, `drain` and `open`: what an operator decides of one deployment, at every inference
 * instance.
 */
export const deploymentsClose = (surroundings: Surroundings): Command => command('closed', surroundings);
export const deploymentsDrain = (surroundings: Surroundings): Command => command('draining', surroundings);
export const deploymentsOpen = (surroundings: Surroundings): Command => command('open', surroundings);

function command(state: keyof typeof acts, { gateway, output, actor }: Surroundings): Command {
  const { name, action, what } = acts[state];
  const made = new Command(name)
    .description(what)
    .argument('<id>', 'the deployment, as deployments list and tollgate.yaml name it')
    .option('--reason <text>', 'why, for the audit log and other operators; callers are not told');
  if (state !== 'open') made.option('--for <time>', 'for so long (30m, 2h), then it opens by itself', readDurationS);
  return made.option('--json', 'print JSON').action(async (deployment: string, options: Options) => {
    const { reason, for: forS, json } = options;
    const detail = { deployment, reason: reason ?? null, forS: forS ?? null };
    await gateway.call(administrationOperations.recordAct, { actor, action, detail });
    const reply = await gateway.call(catalogOperations.holdDeployment, { deployment, state, reason, forS, by: actor });
    const until = reply.held?.until ?? null;
    const end = until === null ? '' : ` until ${new Date(until).toISOString()}`;
    output.show(reply, json, () => `${deployment} is ${state}${end}.`);
  });
}
