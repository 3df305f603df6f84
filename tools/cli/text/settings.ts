import type { SettingsChange, SettingsEntry, settingsOperations } from '@tollgate/contracts/catalog';
import type { z } from 'zod';
import { printable, table } from './table';
import { instant } from './values';

const marks = { added: '+', removed: '-', changed: '~' } as const;

/** Changes of settings for people: an entry a line, and each field of it below. */
export function changesText(changes: readonly SettingsChange[]): string {
  if (changes.length === 0) return 'Nothing changes.';
  return changes
    .map(({ section, id, what, fields }) => {
      const lines = fields.map(({ field, before, after }) => `    ${field}: ${fromTo(before, after)}`);
      return [`${marks[what]} ${section}${id === null ? '' : ` ${id}`}`, ...lines].map(printable).join('\n');
    })
    .join('\n');
}

function fromTo(before: string | null, after: string | null): string {
  if (before === null) return after ?? '';
  return `${before} -> ${after ?? '(not said)'}`;
}

const standings = {
  'in-force': 'in force',
  overridden: 'the file says it, too, and wins',
  'set-aside': 'set aside: it does not fit',
} as const;

/** An entry that was taken and does not hold. */
export function passedOverText({ section, id, standing, problem }: SettingsEntry): string {
  const why = problem === null ? '' : ` (${problem.replaceAll('\n', '; ')})`;
  return printable(`! ${section}${id === null ? '' : ` ${id}`}: ${standings[standing]}${why}`);
}

/** Which version holds, who set it, and every entry of file and settings. */
export function entriesText({
  version,
  setAt,
  setBy,
  reason,
  inForce,
  entries,
}: z.output<typeof settingsOperations.show.reply>): string {
  const who = setBy === null ? 'Nothing was ever set.' : `Version ${version}, set by ${setBy} at ${instant(setAt)}`;
  const head = `${printable(who)}${reason === null ? '' : `: ${printable(reason)}`}`;
  const late = inForce === version ? [] : [`The instance that answered still has version ${inForce} in force.`];
  const rows = entries.map(({ section, id, origin, standing }) => [
    ...[section, id ?? '', origin === 'file' ? 'from the file' : 'settings', standings[standing]],
  ]);
  const problems = entries.flatMap(({ problem }) => problem?.split('\n') ?? []);
  return [
    [head, ...late].join('\n'),
    ...(rows.length > 0 ? [table(['section', 'entry', 'origin', 'standing'], rows)] : []),
    ...(problems.length > 0 ? [problems.map((problem) => `  - ${printable(problem)}`).join('\n')] : []),
  ].join('\n\n');
}

/** What became of an entry that was set or removed by itself. */
export function outcomeText({ applied, version, changes }: z.output<typeof settingsOperations.apply.reply>): string {
  if (!applied) return 'It is so already. Nothing was changed.';
  return `${changesText(changes)}\n\nVersion ${version} of the settings: it holds within seconds.`;
}

/** Who says an entry, whether it holds, and what the settings say. */
export function saidCells({
  origin,
  standing,
  problem,
  said,
}: Pick<SettingsEntry, 'origin' | 'standing' | 'problem'> & { said: object | null }): string[] {
  const fields = Object.entries(said ?? {}).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
  return [origin === 'file' ? 'from the file' : 'settings', standings[standing], [...fields, problem ?? ''].join(' ')];
}
