import { setModelOperations } from '@tollgate/contracts';
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';

const { deployments } = setModelOperations.set.request.shape;
export type StatedDeployment = NonNullable<z.input<typeof deployments>>[number];

const form = /^([^/,]+)(?:\/([^,]+))?((?:,(?:priority|weight|at-once|id)=[^,]+)*)$/;

/**
 * Gathers places of a model, `azure/my-deployment,priority=1,weight=3`, from a repeated option. Without a
 * slash: the provider, which knows the model by its own name.
 */
export function gatherDeployments(text: string, gathered: StatedDeployment[] = []): StatedDeployment[] {
  const [, provider, upstreamModel, more = ''] = form.exec(text.trim()) ?? [];
  const said = new Map(more.split(',').map((part) => [part.split('=')[0], part.split('=').slice(1).join('=')]));
  const number = (name: string): number | undefined => {
    const value = said.get(name);
    return value === undefined ? undefined : Number(value);
  };
  const place = {
    ...{ id: said.get('id'), provider, upstreamModel, priority: number('priority') },
    ...{ weight: number('weight'), maxConcurrent: number('at-once') },
  };
  const read = deployments.unwrap().element.safeParse(place);
  if (read.success) return [...gathered, read.data];
  throw new InvalidArgumentError(
    'Give a provider and its name of the model, such as azure/my-deployment,priority=1,weight=3,at-once=20.',
  );
}
