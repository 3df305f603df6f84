import { type SetModel, setModelOperations, statedModel, type StatedModel } from '@tollgate/contracts/catalog';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { gatherPatterns } from '../arguments/arguments';
import { exitCodes, Refusal } from '../failure';
import { doRecorded, type Surroundings } from '../gateway';
import { outcomeText, saidCells } from '../text/settings';
import { table } from '../text/table';

const { list, set, remove } = setModelOperations;
const { capabilities, kind, status, inputModalities } = statedModel.shape;
const fields = z.object({ ...statedModel.shape, unset: z.array(statedModel.keyof()).optional() });
const abilities = capabilities.unwrap().keyof().options;

interface SetOptions {
  name?: string;
  provider?: string;
  upstreamModel?: string;
  kind?: StatedModel['kind'];
  status?: StatedModel['status'];
  contextWindow?: number;
  maxOutput?: number;
  input?: string[];
  can?: string[];
  cannot?: string[];
  alias?: string[];
  deployment?: StatedDeployment[];
  fallback?: string[];
  unset?: string[];
  new?: true;
  reason?: string;
  json?: boolean;
}

/** `models set`: a model, its deployments and its fallbacks without the file; what is not named stays. */
export function modelsSet({ gateway, output, actor }: Surroundings): Command {
  return withFields(new Command('set'))
    .description(
      'add a model whose price is set, or change its deployments, fallbacks and facts; what is not named stays',
    )
    .argument('<model>', 'its id, such as acme/small')
    .option('--new', 'refuse the id of a model that there is')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (model: string, { new: mustBeNew, reason, json, ...typed }: SetOptions) => {
      const said = fieldsOf(typed);
      if (Object.keys(said).length === 0)
        throw new Refusal('Name what to set, such as --fallback openai/gpt-5.4.', exitCodes.usage);
      const asked = { model, ...said, mustBeNew, reason };
      const outcome = await doRecorded({ gateway, actor }, set, asked);
      output.show(outcome, json, () => outcomeText(outcome));
    });
}

function withFields(command: Command): Command {
  return command
    .option('--name <name>', 'what people call it')
    .option('--provider <id>', 'whose model it is; a new one needs it, or --deployment')
    .option('--upstream-model <name>', 'its name there; the id without its provider unless you say otherwise')
    .addOption(new Option('--kind <what>', 'what it is for').choices(kind.unwrap().options))
    .addOption(new Option('--status <word>', 'how far it is').choices(status.unwrap().options))
    .option('--context-window <tokens>', 'how much it takes', readCount)
    .option('--max-output <tokens>', 'how much it gives', readCount)
    .option(
      '--input <kinds>',
      `what it takes, with commas: ${inputModalities.unwrap().element.options.join(', ')}`,
      gatherPatterns,
    )
    .option('--can <abilities>', `what it can, with commas: ${abilities.join(', ')}`, gatherPatterns)
    .option('--cannot <abilities>', 'what it cannot', gatherPatterns)
    .option('--alias <names>', 'its other names, in place of those it has; none: without any', gatherPatterns)
    .option(
      '--deployment <place>',
      'where it is generated, e.g. azure/my-name,priority=1,weight=3,at-once=20, in place of all that it has; repeat it',
      gatherDeployments,
    )
    .option(
      '--fallback <models>',
      'what is asked in its place, in this order, in place of those it has; none: without any',
      gatherPatterns,
    )
    .option('--unset <fields>', 'what is said no more, such as deployments: the release says it again', gatherPatterns);
}

/** `models remove`: takes a model back that was set so. */
export function modelsRemove({ gateway, output, actor }: Surroundings): Command {
  return new Command('remove')
    .description('take back what was set of a model: what the release says of it holds again, a new one is gone')
    .argument('<model>', 'as models list --set shows it')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (model: string, { reason, json }: { reason?: string; json?: boolean }) => {
      const asked = { model, reason };
      const outcome = await doRecorded({ gateway, actor }, remove, asked);
      output.show(outcome, json, () => outcomeText(outcome));
    });
}

/** Models of which the file or the settings say something, for `models list --set`. */
export async function showSetModels({ gateway, output }: Surroundings, json: boolean | undefined): Promise<void> {
  const told = await gateway.call(list, {});
  output.show(told, json, () => setModelTable(told.models));
}

function setModelTable(models: readonly SetModel[]): string {
  if (models.length === 0) return 'Every model is as the release has it.';
  const rows = models.map(({ model, ...entry }) => [model, ...saidCells(entry)]);
  return table(['model', 'who says it', 'standing', 'what'], rows);
}

/** @throws Refusal for what is no field, or no ability. */
function fieldsOf(options: Omit<SetOptions, 'new' | 'reason' | 'json'>): z.output<typeof fields> {
  const { maxOutput, input, can = [], cannot = [], alias, deployment, fallback, ...rest } = options;
  const able = [...can.map((name) => [name, true]), ...cannot.map((name) => [name, false])];
  const read = fields.safeParse({
    ...rest,
    ...(maxOutput !== undefined && { maxOutputTokens: maxOutput }),
    ...(input && { inputModalities: input }),
    ...(able.length > 0 && { capabilities: Object.fromEntries(able) as unknown }),
    ...(alias && { aliases: orNone(alias) }),
    ...(deployment && { deployments: deployment }),
    ...(fallback && { fallbacks: orNone(fallback) }),
  });
  if (read.success) return read.data;
  throw new Refusal(`This cannot be set: ${z.prettifyError(read.error)}`, exitCodes.usage);
}

const orNone = (names: string[]): string[] => (names.join() === 'none' ? [] : names);

function readCount(text: string): number {
  const value = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : NaN;
  if (!Number.isSafeInteger(value) || value === 0) throw new InvalidArgumentError('Give a whole number.');
  return value;
}

const { deployments } = setModelOperations.set.request.shape;
type StatedDeployment = NonNullable<z.input<typeof deployments>>[number];

const form = /^([^/,]+)(?:\/([^,]+))?((?:,(?:priority|weight|at-once|id)=[^,]+)*)$/;

/**
 * Gathers places of a model, `azure/my-deployment,priority=1,weight=3`, from a repeated option. Without a
 * slash: the provider, which knows the model by its own name.
 */
function gatherDeployments(text: string, gathered: StatedDeployment[] = []): StatedDeployment[] {
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
