import {
  guardrail,
  guardrailActions,
  personalDataKinds,
  setGuardrailOperations,
  type SetGuardrail,
} from '@tollgate/contracts/catalog';
import { guardrailSides, guardrailTrial } from '@tollgate/contracts/metering';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { readGivenFile } from '../arguments/given-file';
import { gatherPatterns } from '../arguments/arguments';
import { exitCodes, Refusal } from '../failure';
import { doRecorded, type MakeCommand, type Surroundings } from '../gateway';
import { outcomeText, saidCells } from '../text/settings';
import { printable, table } from '../text/table';

export const commands: readonly MakeCommand[] = [guardrailsList, guardrailsSet, guardrailsRemove, guardrailsTry];

const { list, set, remove } = setGuardrailOperations;

/** `guardrails list`: those of the file and those that are set. */
function guardrailsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show guardrails of tollgate.yaml and those that are set, and whether they hold')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const told = await gateway.call(list, {});
      output.show(told, json, () =>
        told.guardrails.length === 0 ? 'No guardrail is set.' : listText(told.guardrails),
      );
    });
}

function listText(guardrails: readonly SetGuardrail[]): string {
  const rows = guardrails.map(({ id, ...entry }) => [id, ...saidCells(entry)]);
  return table(['guardrail', 'who says it', 'standing', 'what'], rows);
}

/** What a guardrail is, as it is typed. */
interface RuleOptions {
  pattern: string[];
  detectors?: string[];
  ignoreCase?: true;
  longest?: string;
  action?: string;
}

/** Adds what `RuleOptions` has. */
function takingRule(command: Command): Command {
  return command
    .option('--pattern <regex>', 'what it looks for; once for each', gather, [])
    .option('--ignore-case', 'upper and lower case are the same')
    .option('--longest <characters>', 'the most that a match can have: 128 without it')
    .option(
      '--detectors <kinds>',
      `personal data and keys that it looks for, with commas: ${personalDataKinds.join(', ')}`,
      gatherPatterns,
    )
    .addOption(new Option('--action <what>', 'what it does: flag without it').choices(guardrailActions));
}

interface SetOptions extends RuleOptions {
  keys?: string[];
  models?: string[];
  appliesTo: string;
  new?: true;
  reason?: string;
  json?: boolean;
}

/** `guardrails set`: a guardrail as a whole. */
function guardrailsSet({ gateway, output, actor }: Surroundings): Command {
  const command = new Command('set')
    .description('add a guardrail, or put another in its place, as a whole; begin with one that only flags')
    .argument('<guardrail>', 'its id, such as no-secrets');
  return takingRule(command)
    .addOption(new Option('--applies-to <side>', 'where it looks').choices(['input', 'output', 'both']).default('both'))
    .option('--keys <ids>', 'only requests with these keys, with commas', gatherPatterns)
    .option('--models <patterns>', 'only of these models, with commas', gatherPatterns)
    .option('--new', 'refuse the id of a guardrail that there is')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (id: string, { new: mustBeNew, reason, json, ...typed }: SetOptions) => {
      const asked = { guardrail: guardrailOf(id, typed), mustBeNew, reason };
      const outcome = await doRecorded({ gateway, actor }, set, asked);
      output.show(outcome, json, () => outcomeText(outcome));
    });
}

/** @throws Refusal for what is no guardrail. */
function guardrailOf(
  id: string,
  typed: RuleOptions & Pick<SetOptions, 'appliesTo' | 'keys' | 'models'>,
): z.output<typeof guardrail> {
  const { pattern, detectors, longest, action = 'flag', ...rest } = typed;
  const isOfPatterns = pattern.length > 0;
  if (isOfPatterns === (detectors !== undefined))
    throw new Refusal('Give either --pattern, once for each, or --detectors.', exitCodes.usage);
  const read = guardrail.safeParse({
    ...{ id, action, ...rest },
    ...(isOfPatterns ? { kind: 'regex', patterns: pattern } : { kind: 'pii', detectors }),
    ...(longest !== undefined && { longest: Number(longest) }),
  });
  if (read.success) return read.data;
  throw new Refusal(`This is no guardrail: ${z.prettifyError(read.error)}`, exitCodes.usage);
}

const gather = (one: string, before: string[]): string[] => [...before, one];

/** `guardrails remove`: out of the settings. */
function guardrailsRemove({ gateway, output, actor }: Surroundings): Command {
  return new Command('remove')
    .description('take a guardrail out of the settings')
    .argument('<guardrail>', 'its id')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) => {
      const asked = { guardrail: id, reason };
      const outcome = await doRecorded({ gateway, actor }, remove, asked);
      output.show(outcome, json, () => outcomeText(outcome));
    });
}

interface TryOptions extends RuleOptions {
  file?: string;
  side: (typeof guardrailSides)[number];
  model?: string;
  key?: string;
  json?: boolean;
}

/** `guardrails try`: what those in force, or one that is not, would do with a text. */
function guardrailsTry({ gateway, output }: Surroundings): Command {
  const command = new Command('try')
    .description('show what guardrails in force would do with a text, or one that is not; nothing of it is kept')
    .argument('[text]', 'at most 10,000 characters, which others of this machine see: of secrets give --file')
    .option('--file <path>', 'the text; - for what comes in')
    .addOption(new Option('--side <side>', 'as a request, or as an answer').choices(guardrailSides).default('input'))
    .option('--model <model>', 'as requests name it; without it, as if each held for every model')
    .option('--key <key id>', 'without it, as if each held for every key');
  return takingRule(command)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nWith --pattern or --detectors that guardrail is tried alone. Needs TOLLGATE_URL and TOLLGATE_TOKEN.',
    )
    .action(async (typed: string | undefined, { file, side, model, key, json, ...rule }: TryOptions) => {
      const draft = draftOf(rule);
      if (draft && (model ?? key) !== undefined)
        throw new Refusal('--model and --key are of guardrails in force.', exitCodes.usage);
      const text = await triedText(typed, file);
      const told = await gateway.askEdge(guardrailTrial, { text, side, model, keyId: key, draft });
      output.show(told, json, () => triedLines(told));
    });
}

/** Undefined: none is typed. @throws Refusal for what is no guardrail. */
function draftOf({ pattern, ...rest }: RuleOptions): z.output<typeof guardrail> | undefined {
  if (pattern.length === 0 && Object.keys(rest).length === 0) return undefined;
  return guardrailOf('draft', { pattern, appliesTo: 'both', ...rest });
}

/** @throws Refusal where none or both are given, or the file cannot be read. */
async function triedText(typed: string | undefined, file: string | undefined): Promise<string> {
  if (typed !== undefined && file === undefined) return typed;
  if (typed === undefined && file !== undefined) return readGivenFile(file);
  throw new Refusal('Give either a text or --file.', exitCodes.usage);
}

function triedLines({ holding, findings, blockedBy, goesOn }: z.output<typeof guardrailTrial.answer>): string {
  const outcome = blockedBy === null ? 'It goes on.' : `It is blocked by ${blockedBy}.`;
  const held = `${outcome} ${holding} ${holding === 1 ? 'guardrail holds' : 'guardrails hold'} for it.`;
  if (findings.length === 0) return `${held} Nothing is found.`;
  const found = table(
    ['guardrail', 'action'],
    findings.map(({ guardrail: id, action }) => [id, action]),
  );
  return [held, found, ...(goesOn === null ? [] : [goesOn.split('\n').map(printable).join('\n')])].join('\n\n');
}
