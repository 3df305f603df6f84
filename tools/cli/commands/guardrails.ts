import {
  guardrail,
  guardrailActions,
  personalDataKinds,
  setGuardrailOperations,
  type SetGuardrail,
} from '@tollgate/contracts';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { gatherPatterns } from '../arguments/patterns';
import { exitCodes, Refusal } from '../failure';
import { doRecorded, type Surroundings } from '../gateway';
import { outcomeText, saidCells } from '../text/settings';
import { table } from '../text/table';

const { list, set, remove } = setGuardrailOperations;

/** `guardrails list`: those of the file and those that are set. */
export function guardrailsList({ gateway, output }: Surroundings): Command {
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

interface SetOptions {
  pattern: string[];
  detectors?: string[];
  keys?: string[];
  models?: string[];
  ignoreCase?: true;
  longest?: string;
  appliesTo: string;
  action: string;
  new?: true;
  reason?: string;
  json?: boolean;
}

/** `guardrails set`: a guardrail as a whole. */
export function guardrailsSet({ gateway, output, actor }: Surroundings): Command {
  return new Command('set')
    .description('add a guardrail, or put another in its place, as a whole; begin with one that only flags')
    .argument('<guardrail>', 'its id, such as no-secrets')
    .option('--pattern <regex>', 'what it looks for; once for each', gather, [])
    .option('--ignore-case', 'upper and lower case are the same')
    .option('--longest <characters>', 'the most that a match can have: 128 without it')
    .option(
      '--detectors <kinds>',
      `personal data and keys that it looks for, with commas: ${personalDataKinds.join(', ')}`,
      gatherPatterns,
    )
    .addOption(new Option('--applies-to <side>', 'where it looks').choices(['input', 'output', 'both']).default('both'))
    .addOption(new Option('--action <what>', 'what it does').choices(guardrailActions).default('flag'))
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
function guardrailOf(id: string, typed: Omit<SetOptions, 'new' | 'reason' | 'json'>): z.output<typeof guardrail> {
  const { pattern, detectors, longest, ...rest } = typed;
  const isOfPatterns = pattern.length > 0;
  if (isOfPatterns === (detectors !== undefined))
    throw new Refusal('Give either --pattern, once for each, or --detectors.', exitCodes.usage);
  const read = guardrail.safeParse({
    ...{ id, ...rest },
    ...(isOfPatterns ? { kind: 'regex', patterns: pattern } : { kind: 'pii', detectors }),
    ...(longest !== undefined && { longest: Number(longest) }),
  });
  if (read.success) return read.data;
  throw new Refusal(`This is no guardrail: ${z.prettifyError(read.error)}`, exitCodes.usage);
}

const gather = (one: string, before: string[]): string[] => [...before, one];

/** `guardrails remove`: out of the settings. */
export function guardrailsRemove({ gateway, output, actor }: Surroundings): Command {
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
