import { table } from '../text/table';

/** What became of a setting of another gateway. */
type Outcome = 'carried' | 'changed' | 'not carried';

/** What is to be said of a setting, whatever it is set to. */
export type Said = readonly [outcome: Outcome, note: string];

/** One setting, or all of one kind: how many there were, what became of them, and how or what to do. */
export interface SettingLine {
  setting: string;
  count: number;
  outcome: Outcome;
  note: string;
}

/** Gathers what becomes of every setting. Those of which the same is to be said are one line. */
export class SettingsReport {
  private readonly told = new Map<string, SettingLine>();

  carried(setting: string, note: string, count = 1): void {
    this.add({ setting, count, outcome: 'carried', note });
  }

  /** It means something else here; `note` says what. */
  changed(setting: string, note: string, count = 1): void {
    this.add({ setting, count, outcome: 'changed', note });
  }

  /** It has no place here; `note` says what to do instead. */
  left(setting: string, note: string, count = 1): void {
    this.add({ setting, count, outcome: 'not carried', note });
  }

  /**
   * Tells what `said` has of each path, of its longest beginning there, or that nothing is known of it. A
   * name that ends with a star stands for all that begin so. `section` stands in front of each path.
   */
  tellAll(section: string, paths: readonly string[], said: Readonly<Record<string, Said>>): void {
    for (const path of paths) {
      const [outcome, note] = saidOf(path, said) ?? unknown;
      this.add({ setting: section === '' ? path : `${section}.${path}`, count: 1, outcome, note });
    }
  }

  get lines(): SettingLine[] {
    return [...this.told.values()];
  }

  private add(line: SettingLine): void {
    if (line.count === 0) return;
    const name = [line.setting, line.outcome, line.note].join('\n');
    const known = this.told.get(name);
    if (known) known.count += line.count;
    else this.told.set(name, { ...line });
  }
}

const unknown: Said = [
  'not carried',
  'Tollgate has no setting of this name: see docs/come-over.md for what there is instead',
];

function saidOf(path: string, said: Readonly<Record<string, Said>>): Said | undefined {
  const parts = path.split('.');
  for (let length = parts.length; length > 0; length--) {
    const found = said[parts.slice(0, length).join('.')];
    if (found) return found;
  }
  const star = Object.keys(said).find((name) => name.endsWith('*') && path.startsWith(name.slice(0, -1)));
  return star === undefined ? undefined : said[star];
}

/** Whether a value says something: nothing, no, 0 and what is empty do not. */
export function isSet(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '' || value === 0) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** The lines as a table, with how many of each kind there are. */
export function settingsTable(lines: readonly SettingLine[]): string {
  const rows = lines.map(({ setting, count, outcome, note }) => [setting, String(count), outcome, note]);
  const sum = (outcome: Outcome): number => lines.filter((line) => line.outcome === outcome).length;
  const sums = `${sum('carried')} carried, ${sum('changed')} changed, ${sum('not carried')} not carried`;
  return `${table(['setting', 'count', 'outcome', 'how, or what to do'], rows)}\n\n${sums}`;
}
