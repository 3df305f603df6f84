import { Injectable } from '@nestjs/common';
import { readableSettings, settingsChanges, withEntry, withoutEntry, type Settings } from '@tollgate/configuration';
import { ControlError } from '@tollgate/contracts';
import type { SettingsEntry } from '@tollgate/contracts/catalog';
import { isDeepStrictEqual } from 'node:util';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { noSettings } from '../operator/operator-choices';
import { SettingsChanges, type Change, type Outcome } from './settings-changes';
import { SettingsHistory } from './settings-history';

/** Sections whose entries have ids and are set one by one, and what one of them is called. */
const words = { models: 'model', guardrails: 'guardrail' } as const;
type Section = keyof typeof words;

/** An entry of the file or the settings. `said`: what the settings say; null: nothing, or it is not read. */
interface ToldEntry<Said> extends Pick<SettingsEntry, 'origin' | 'standing' | 'problem'> {
  id: string;
  said: Omit<Said, 'id'> | null;
}

interface EntryChange extends Change {
  id: string;
  mustBeNew?: boolean | undefined;
}

/** Models and guardrails that administrators set without the file, as entries of the settings. */
@Injectable()
export class SettingsEntries {
  constructor(
    private readonly history: SettingsHistory,
    private readonly changes: SettingsChanges,
    private readonly file: ConfigurationFile,
  ) {}

  /** Those that the file has, and those of the newest version of the settings; `statedIn` gives these. */
  async list<Entry extends { id: string }>(
    of: Section,
    statedIn: (settings: Settings) => readonly Entry[],
  ): Promise<{ version: number; entries: ToldEntry<Entry>[] }> {
    const { version, document } = (await this.history.newest()) ?? noSettings;
    const stated = statedIn(readableSettings(document).settings);
    const said = new Map(stated.map(({ id, ...fields }) => [id, fields]));
    const entries = this.changes
      .entries(document)
      .flatMap(({ section, id, origin, standing, problem }) =>
        section === of && id !== null
          ? [{ id, origin, standing, problem, said: (origin === 'settings' ? said.get(id) : null) ?? null }]
          : [],
      );
    return { version, entries };
  }

  /**
   * A version of the settings with these fields of an entry; null: it says that no more. What is as it was is
   * no version. @throws ControlError.
   */
  set(of: Section, { id, mustBeNew = false, ...change }: EntryChange, fields: object): Promise<Outcome> {
    return this.changes.edit(change, (before) => {
      if (mustBeNew && this.isThere(of, id, before))
        throw new ControlError(
          'conflict',
          `There is a ${words[of]} ${id} already. Choose another id, or change that ${words[of]}.`,
        );
      const after = withEntry(before, of, id, { ...fields });
      const [was, is] = [readableSettings(before), readableSettings(after)];
      const isAsItWas = settingsChanges(was.settings, is.settings).length === 0;
      // What cannot be read is told of where it is applied.
      return isAsItWas && isDeepStrictEqual(was.unreadable, is.unreadable) ? before : after;
    });
  }

  /** @throws ControlError `not_found`, and `invalid` where another entry needs it. */
  remove(of: Section, { id, ...change }: EntryChange): Promise<Outcome> {
    return this.changes.edit(change, (before) => {
      const document = withoutEntry(before, of, id);
      if (document !== null) return document;
      const isOfFile = this.file.inForce.file[of].some((each) => each.id === id);
      const where = isOfFile ? ' It stands in tollgate.yaml: change it there.' : '';
      throw new ControlError('not_found', `The settings say nothing of the ${words[of]} ${id}.${where}`);
    });
  }

  /** Whether the release, the file or this document has one of this id. */
  private isThere(of: Section, id: string, document: string): boolean {
    const isOne = (each: { id: string }) => each.id === id;
    const { catalog, file } = this.file.inForce;
    const others = of === 'models' ? catalog.models : file[of];
    return others.some(isOne) || readableSettings(document).settings[of].some(isOne);
  }
}
