import type { ImportCounts } from '@tollgate/contracts/accounts';
import type { Surroundings } from '../gateway';
import { plansOf, sumsOf, type ImportedAccounts } from '../imports/imported-accounts';
import { settingsTable, type SettingLine, type SettingsReport } from '../imports/settings-report';
import { takeAccounts } from '../imports/take-accounts';
import { tollgateYaml, writeOnce, type WrittenSections } from '../imports/written-file';

/** What was read of another gateway, to be written and taken over. */
export interface ReadImport {
  /** The other gateway, as the audit log names it. */
  source: string;
  /** Where it stood, for people. */
  origin: string;
  sections: Pick<WrittenSections, 'providers' | 'models'>;
  people: ImportedAccounts;
  report: SettingsReport;
}

/** How every import is told what to do. */
export interface ImportOptions {
  write: string;
  dryRun?: boolean;
  json?: boolean;
}

/** What was read, and what came of it. `made` null: nothing was to be changed. */
interface Result {
  settings: SettingLine[];
  file: { path: string; providers: number; models: number; plans: number } | null;
  read: ImportCounts & { openingUsd: string };
  made: ImportCounts | null;
}

/**
 * Writes the tollgate.yaml, has accounts take over people and keys, and tells what became of every setting.
 * A dry run only tells.
 * @throws Refusal when the file that is to be written is another already.
 */
export async function finishImport(
  { gateway, output, actor }: Surroundings,
  { source, origin, sections, people, report }: ReadImport,
  { write, dryRun = false, json }: ImportOptions,
): Promise<void> {
  const plans = plansOf(people);
  const { providers, models } = sections;
  const isWritten = providers.length > 0 || models.length > 0 || people.plans.size > 0;
  const text = tollgateYaml({ providers, models, plans }, origin);
  if (!dryRun && isWritten) await writeOnce(write, text);
  const isTaken = !dryRun && people.accounts.length > 0;
  const made = isTaken ? await takeAccounts(gateway, people, { source, actor }) : null;
  const sizes = { providers: providers.length, models: models.length, plans: Object.keys(plans).length };
  const file = isWritten ? { path: write, ...sizes } : null;
  const result: Result = { settings: report.lines, file, read: sumsOf(people), made };
  output.show(result, json, () => told(result, dryRun));
}

function told({ settings, file, read, made }: Result, dryRun: boolean): string {
  const counts = ({ accounts, people, keys, budgets }: ImportCounts): string =>
    `${accounts} accounts, ${people} people, ${keys} keys, ${budgets} budgets`;
  return [
    settingsTable(settings),
    ...(file
      ? [
          `${file.path}: ${file.providers} providers, ${file.models} models, ${file.plans} plans${dryRun ? ' (not written)' : ''}.`,
        ]
      : []),
    ...(read.accounts > 0 ? [`Read: ${counts(read)}; spent with these keys before: $${read.openingUsd}.`] : []),
    ...(made ? [`Made: ${counts(made)}; the rest was there.`] : []),
    ...(dryRun ? ['Nothing was changed.'] : []),
  ].join('\n\n');
}
