import { administrationOperations, catalogOperations, inferenceOperations, type ModelLook } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { table } from '../text/table';

/** Slow lists are waited for. */
const lookTimeoutMs = 30_000;

/** `models look`: reads the lists of providers now, and shows what they ship and what they lost. */
export function modelsLook({ gateway, output }: Surroundings): Command {
  return new Command('look')
    .description("read the providers' own lists of models now, instead of within a day")
    .argument('[provider]', 'this one only')
    .option('--json', 'print JSON')
    .action(async (provider: string | undefined, { json }: { json?: boolean }) => {
      const request = { provider: provider ?? null };
      const { looks } = await gateway.call(inferenceOperations.lookForModels, request, { timeoutMs: lookTimeoutMs });
      output.show({ looks }, json, () => lookTable(looks));
    });
}

/**
 * `models on` and `models off`: whether anybody gets a model; one that its provider's list alone tells of may
 * wait for it.
 */
export const modelsOn = (surroundings: Surroundings): Command => command(true, surroundings);
export const modelsOff = (surroundings: Surroundings): Command => command(false, surroundings);

function command(enabled: boolean, { gateway, output, actor }: Surroundings): Command {
  const name = enabled ? 'on' : 'off';
  return new Command(name)
    .description(enabled ? 'offer a model, such as a new one that waits for it' : 'offer a model to nobody any more')
    .argument('<id>', 'as models list --all names it')
    .option('--json', 'print JSON')
    .action(async (model: string, { json }: { json?: boolean }) => {
      const action = enabled ? 'model-enabled' : 'model-disabled';
      await gateway.call(administrationOperations.recordAct, { actor, action, detail: { model } });
      const reply = await gateway.call(catalogOperations.setModelEnabled, { model, enabled });
      output.show(reply, json, () => `${model} is ${name}.`);
    });
}

function lookTable(looks: readonly ModelLook[]): string {
  if (looks.length === 0) return 'The models of no provider that can be reached are followed.';
  const rows = looks.map(({ provider, models, came, went }) => [
    provider,
    models === null ? 'gave no list' : String(models),
    came.join(', '),
    went.join(', '),
  ]);
  return `${table(['provider', 'lists', 'came', 'went'], rows)}\n\nmodels list --all shows which of them are new and wait for models on.`;
}
