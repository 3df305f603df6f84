import { table } from '../text/table';

/** What became of a setting of another gateway. */
export type Outcome = 'carried' | 'changed' | 'not carried';

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

/** The lines as a table, with how many of each kind there are. */
export function settingsTable(lines: readonly SettingLine[]): string {
  const rows = lines.map(({ setting, count, outcome, note }) => [setting, String(count), outcome, note]);
  const sum = (outcome: Outcome): number => lines.filter((line) => line.outcome === outcome).length;
  const sums = `${sum('carried')} carried, ${sum('changed')} changed, ${sum('not carried')} not carried`;
  return `${table(['setting', 'count', 'outcome', 'how, or what to do'], rows)}\n\n${sums}`;
}
