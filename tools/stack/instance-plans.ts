import { freePort, isFree } from '@tollgate/testing';
import { serviceNames, sharedProgram, sharingServices } from './service-plan';
import type { InstancePlan, ServiceName } from './service-plan';
import { StackError } from './stack-error';
import type { StackOptions } from './stack-options';

/**
 * Decides which instances run, in which processes and on which ports. Where services share a process, second
 * instances have one of their own.
 * @throws StackError when a port that was asked for is taken.
 */
export async function planInstances(options: StackOptions): Promise<InstancePlan[]> {
  const publicPorts: Partial<Record<ServiceName, number>> = { edge: options.port, sandbox: options.sandboxPort };
  const others = askedPorts(options);
  const plans: InstancePlan[] = [];
  for (const service of serviceNames) {
    if (service === 'sandbox' && options.sandbox === false) continue;
    const count = options.instances?.[service] ?? 1;
    for (let number = 1; number <= count; number++) {
      const asked = number === 1 ? publicPorts[service] : undefined;
      const askedInternal = number === 1 ? options.internalPorts?.[service] : undefined;
      const name = number === 1 ? service : `${service}-${number}`;
      const isShared = number === 1 && options.layout === 'compact' && sharingServices.includes(service);
      plans.push({
        service,
        name,
        process: isShared ? sharedProgram : name,
        port: service === 'edge' || service === 'sandbox' ? await choose(service, asked, others) : null,
        internalPort: await choose(`${service} (internal)`, askedInternal, others),
      });
    }
  }
  return plans;
}

/** The ports that a stack was told to use: none of them is chosen for anything else. */
export const askedPorts = ({ port, sandboxPort, natsPort, postgresPort, internalPorts = {} }: StackOptions): number[] =>
  [port, sandboxPort, natsPort, postgresPort, ...Object.values(internalPorts)].filter((asked) => asked !== undefined);

async function choose(purpose: string, asked: number | undefined, others: readonly number[]): Promise<number> {
  if (asked === undefined) return freePort(others);
  if (await isFree(asked)) return asked;
  throw new StackError(
    `Port ${asked} for ${purpose} is taken by another program. Stop that program (lsof -i :${asked} names it), or choose another port, for example: PORT=8090 npm start`,
  );
}
