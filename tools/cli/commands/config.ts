import {
  isEmptyDocument,
  parseSettings,
  settingsChanges,
  TollgateFileError,
  type Settings,
} from '@tollgate/configuration';
import { administrationOperations } from '@tollgate/contracts/accounts';
import { settingsOperations } from '@tollgate/contracts/catalog';
import { adminActOf } from '@tollgate/contracts/edge';
import { Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { readGivenFile } from '../arguments/given-file';
import { readPageSize } from '../arguments/arguments';
import { exitCodes, failureOf, Forbidden, Refusal } from '../failure';
import { doRecorded, type MakeCommand, type Surroundings } from '../gateway';
import { planUseText, plansLeft, plansLeftText, type PlanLeft } from './plans-left';
import { changesText, entriesText, passedOverText } from '../text/settings';
import { table } from '../text/table';
import { instant } from '../text/values';

export const commands: readonly MakeCommand[] = [
  configShow,
  configExport,
  configDiff,
  configApply,
  configHistory,
  configRollback,
];

/** `config show`: what holds, who set it, and where each entry comes from. */
function configShow({ gateway, output }: Surroundings): Command {
  return new Command('show')
    .description('show what the file and the settings say, entry by entry, and what of it does not hold')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const shown = await gateway.call(settingsOperations.show, {});
      output.show(shown, json, () => entriesText(shown));
    });
}

/** `config export`: the document of the settings, as it was given, after the version that it is of. */
function configExport({ gateway, output }: Surroundings): Command {
  return new Command('export')
    .description('print the settings as they were given, for a file')
    .option('--of <version>', 'of this version instead of the newest; 0 for none', readVersion)
    .action(async ({ of }: { of?: number }) => {
      if (of === 0) return output.show({ version: of, document: '' }, false, () => '');
      if (of !== undefined) {
        const { settings } = await gateway.call(settingsOperations.find, { version: of });
        return output.show(settings, false, () => settings.document.replace(/\n$/, ''));
      }
      const { version, document } = await gateway.call(settingsOperations.show, {});
      output.show({ version, document }, false, () => `# version ${version}\n${document}`.replace(/\n$/, ''));
    });
}

/**
 * `config diff`: what a file would change. Exit code 0: nothing; 1: something; 2: it cannot be said, or would
 * be refused; 3: the gateway does not answer.
 */
function configDiff({ gateway, output, actor }: Surroundings): Command {
  return new Command('diff')
    .description(
      'show what a file of settings would change: exit code 0 for nothing, 1 for something, 2 or 3 for a fault',
    )
    .argument('<file>', 'a file of settings; - for what comes in')
    .option('--json', 'print JSON')
    .action(async (path: string, { json }: { json?: boolean }) => {
      const given = await readDocument(path);
      const after = readSettings(given);
      const { version, document } = await orFault(gateway.call(settingsOperations.show, {}));
      const before = readSettings(
        document,
        `The settings of version ${version}, which hold, cannot be read by this release:`,
      );
      const changes = settingsChanges(before, after);
      const left = await orFault(plansLeft(gateway, document, given));
      const isChecked = changes.length === 0 || (await orFault(checked({ gateway, actor }, given, version)));
      output.show({ version, changes, plansLeft: left }, json, () => `${changesText(changes)}${plansLeftText(left)}`);
      if (changes.length === 0) return;
      throw new Refusal(`${path} is not what holds (version ${version}).${isChecked ? '' : ` ${unchecked}`}`);
    });
}

const unchecked =
  'Whether the gateway would take it is not known: to have it checked, a token needs config:write, too.';

/**
 * Has the gateway check a file as `config apply --dry-run` does. False: who asks may not.
 * @throws what it refuses.
 */
async function checked(
  surroundings: Pick<Surroundings, 'gateway' | 'actor'>,
  given: string,
  version: number,
): Promise<boolean> {
  const { stated, document } = withoutVersion(given);
  try {
    await doRecorded(surroundings, settingsOperations.apply, { document, version, dryRun: true });
    return true;
  } catch (error) {
    if (error instanceof Forbidden) return false;
    throw stated === undefined ? error : oneLineOn(error);
  }
}

const ifVersionMeans =
  'only where this version holds; without it, the one that export wrote into the first line, else whichever';

interface ApplyOptions {
  reason?: string;
  ifVersion?: number;
  dryRun: boolean;
  json?: boolean;
}

/** `config apply`: puts a file of settings in force, as a whole. */
function configApply({ gateway, output, actor }: Surroundings): Command {
  return new Command('apply')
    .description('put a file of settings in force, in the place of those that hold')
    .argument('<file>', 'a file of settings, such as config export prints; - for what comes in')
    .option('--dry-run', 'have the gateway check it, and change nothing', false)
    .option('--if-version <version>', ifVersionMeans, readVersion)
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (path: string, { reason, ifVersion, dryRun, json }: ApplyOptions) => {
      const { stated, document } = withoutVersion(await readDocument(path));
      const show = () => gateway.call(settingsOperations.show, {});
      const named = ifVersion ?? stated;
      const holds = named === undefined ? await show() : await unlessRefused(show);
      const left = holds ? await plansLeft(gateway, holds.document, document) : [];
      const asked = { document, version: named ?? holds?.version ?? 0, reason, dryRun };
      const outcome = await doRecorded({ gateway, actor }, settingsOperations.apply, asked).catch((error: unknown) => {
        throw stated === undefined ? error : oneLineOn(error);
      });
      output.show({ ...outcome, plansLeft: left }, json, () => outcomeText(outcome, left, dryRun));
    });
}

/** `config history`: every version, the newest first. */
function configHistory({ gateway, output }: Surroundings): Command {
  return new Command('history')
    .description('show who set what when, and why, the newest first')
    .option('--limit <number>', 'how many', readPageSize(500), 50)
    .option('--json', 'print JSON')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const { versions } = await gateway.call(settingsOperations.history, { limit });
      output.show({ versions }, json, () =>
        versions.length === 0
          ? 'Nothing was ever set.'
          : table(
              ['version', 'at', 'who', 'why'],
              versions.map((one) => [String(one.version), instant(one.setAt), one.setBy, one.reason ?? '']),
            ),
      );
    });
}

/** `config rollback`: an earlier version again, as a new one; a plan that keys have goes only with `--yes`. */
function configRollback({ gateway, output, actor }: Surroundings): Command {
  return new Command('rollback')
    .description('put the settings of an earlier version in force again, as a new version')
    .argument('<version>', 'as config history tells it; 0 for none', readVersion)
    .option('--if-version <version>', 'only where this version holds; without it, whichever', readVersion)
    .option('--yes', 'also where keys or accounts have a plan that it lacks')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (to: number, { reason, ifVersion, yes, json }: RollbackOptions) => {
      const documents = await unlessRefused(() => documentsOf(gateway, to));
      const left = documents ? await plansLeft(gateway, ...documents) : [];
      if (!yes) requireUnused(left, to);
      const act = adminActOf(settingsOperations.rollBack, { to, reason });
      await gateway.call(administrationOperations.recordAct, { ...act, actor });
      const outcome = await gateway.call(settingsOperations.rollBack, { to, version: ifVersion, reason, by: actor });
      output.show({ ...outcome, plansLeft: left }, json, () => outcomeText(outcome, left, false));
    });
}

type RollbackOptions = Omit<ApplyOptions, 'dryRun'> & { yes?: true };

/** Null: the admin API refuses it. A token that may only write goes on without what it may not read. */
async function unlessRefused<Result>(ask: () => Promise<Result>): Promise<Result | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The document that holds, and that of a version; 0: none. */
async function documentsOf(gateway: Surroundings['gateway'], version: number): Promise<[string, string]> {
  const { document } = await gateway.call(settingsOperations.show, {});
  if (version === 0) return [document, ''];
  const { settings } = await gateway.call(settingsOperations.find, { version });
  return [document, settings.document];
}

/** @throws Refusal that says who has plans that are not in a version. */
function requireUnused(left: readonly PlanLeft[], version: number): void {
  const told = left.flatMap(({ name, use }) => (use === null ? [] : [`${planUseText(use)} have the plan ${name}`]));
  if (told.length === 0) return;
  throw new Refusal(`${told.join(', ')}, which version ${version} lacks. Say --yes to go back all the same.`);
}

type Outcome = z.output<typeof settingsOperations.apply.reply>;

function outcomeText(
  { applied, version, changes, passedOver, inForce = version }: Outcome,
  left: readonly PlanLeft[],
  dryRun: boolean,
): string {
  const told = [`${changesText(changes)}${plansLeftText(left)}`, ...passedOver.map(passedOverText)].join('\n');
  const late = `Version ${version} is set. The instance that took it has version ${inForce} in force until it looks again.`;
  if (applied) return `${told}\n\n${inForce < version ? late : `Version ${version} is in force.`}`;
  return dryRun ? `${told}\n\nNothing was changed.` : 'This is what holds. Nothing was changed.';
}

/**
 * A program that fails in front of a pipe leaves nothing, which would take back every setting. What was
 * exported while nothing was set is the gateway's to refuse, which knows whether something is set by now.
 * @throws Refusal where nothing is in the file, or it cannot be read.
 */
async function readDocument(path: string): Promise<string> {
  const given = await readGivenFile(path);
  if (withoutVersion(given).stated !== undefined || !isEmptyDocument(given)) return given;
  const what = path === '-' ? 'What came in' : path;
  const meant = 'To take every setting back, give a file that says {}, or: tollgate config rollback 0';
  throw new Refusal(`${what} is empty. Nothing was changed. ${meant}`, exitCodes.usage);
}

/** `stated`: the version that `config export` wrote into the first line. Undefined: there is none. */
function withoutVersion(typed: string): { stated: number | undefined; document: string } {
  const [line = '', stated] = /^# version (\d{1,9})(?:\r?\n|$)/.exec(typed) ?? [];
  return { stated: stated === undefined ? undefined : Number(stated), document: typed.slice(line.length) };
}

/** Faults of a document by their lines in the file, of which the first was not sent. */
function oneLineOn(error: unknown): unknown {
  const { message, exitCode } = failureOf(error);
  const told = message?.replaceAll(/(?<=^ {2}- settings:)\d+/gm, (line) => String(Number(line) + 1));
  return told === undefined || told === message ? error : new Refusal(told, exitCode);
}

/** @throws Refusal whose exit code is not that of a difference. */
async function orFault<Reply>(asked: Promise<Reply>): Promise<Reply> {
  try {
    return await asked;
  } catch (error) {
    const { message, exitCode } = failureOf(error);
    throw new Refusal(message ?? '', exitCode === exitCodes.refused ? exitCodes.usage : exitCode);
  }
}

function readSettings(document: string, otherwise = 'These settings cannot be used:'): Settings {
  try {
    return parseSettings(document);
  } catch (error) {
    if (!(error instanceof TollgateFileError)) throw error;
    throw new Refusal([otherwise, ...error.problems].join('\n  - '), exitCodes.usage);
  }
}

function readVersion(typed: string): number {
  if (/^\d{1,9}$/.test(typed)) return Number(typed);
  throw new InvalidArgumentError('A version is a whole number, as config history tells it.');
}
