import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { none } from '../arguments/project';
import type { Surroundings } from '../gateway';

/** `keys project`: of which project a key is, whose budgets hold for it from then on. */
export function keysProject({ gateway, output, actor }: Surroundings): Command {
  return new Command('project')
    .description('make a key one of a project, whose budgets hold for it then, or take it out of one')
    .argument('<key id>', 'the id that keys list shows')
    .argument('<project>', `such as web, in place of the one that it is of; or ${none}`)
    .option('--json', 'print JSON')
    .action(async (keyId: string, wanted: string, { json }: { json?: boolean }) => {
      const asked = wanted.trim() === none ? null : wanted;
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, project: asked, actor });
      const { display, name, project } = reply.key;
      output.show(
        reply,
        json,
        () => `${display} (${name}) is of ${project === null ? 'no project' : `the project ${project}`}.`,
      );
    });
}
