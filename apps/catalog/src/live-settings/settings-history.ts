import { Inject, Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { settingsOperations } from '@tollgate/contracts/catalog';
import type { Database } from '@tollgate/database';
import { Prisma } from '@tollgate/database';
import type { z } from 'zod';
import { noSettings } from '../operator/operator-choices';
import { DATABASE } from '../settings';

/** A version with its document. */
type StoredSettings = z.output<typeof settingsOperations.find.reply>['settings'];
type SettingsVersion = Omit<StoredSettings, 'document'>;

/** Every version of the settings, in Postgres. The newest holds. */
@Injectable()
export class SettingsHistory {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database<'catalog'>, 'settingsVersion'>) {}

  /** Null: nothing was ever set. */
  async newest(): Promise<StoredSettings | null> {
    const row = await this.database.settingsVersion.findFirst({ orderBy: { version: 'desc' } });
    return row && toldOf(row);
  }

  /**
   * The newest, which is the version `expected`.
   * @throws ControlError `outdated` where it is another.
   */
  async newestAs(expected: number): Promise<Pick<StoredSettings, 'version' | 'document'>> {
    const newest = await this.newest();
    if ((newest ?? noSettings).version === expected) return newest ?? noSettings;
    throw changedMeanwhile(newest);
  }

  /** The document of a version; 0: the empty one. @throws ControlError `not_found`. */
  async document(version: number): Promise<string> {
    return version === noSettings.version ? noSettings.document : (await this.find(version)).document;
  }

  /** @throws ControlError `not_found`. */
  async find(version: number): Promise<StoredSettings> {
    const row = await this.database.settingsVersion.findUnique({ where: { version } });
    if (row) return toldOf(row);
    throw new ControlError('not_found', `There is no version ${version} of the settings.`);
  }

  /** The newest first; `after`: those that are older than it. */
  async list(limit: number, after: number | undefined): Promise<{ versions: SettingsVersion[]; next: number | null }> {
    const rows = await this.database.settingsVersion.findMany({
      where: after === undefined ? {} : { version: { lt: after } },
      orderBy: { version: 'desc' },
      take: limit + 1,
      omit: { document: true },
    });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      versions: page.map(({ setAt, ...row }) => ({ ...row, setAt: setAt.getTime() })),
      next: last?.version ?? null,
    };
  }

  /**
   * Adds the version that follows `from`, which is the newest. Of several who do so at once one succeeds.
   * @throws ControlError `outdated` for the others.
   */
  async add(from: number, said: Pick<StoredSettings, 'document' | 'setBy' | 'reason'>): Promise<StoredSettings> {
    try {
      const row = { version: from + 1, setAt: new Date(), ...said };
      return toldOf(await this.database.settingsVersion.create({ data: row }));
    } catch (error) {
      if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
        throw changedMeanwhile(await this.newest());
      throw error;
    }
  }
}

function changedMeanwhile(newest: SettingsVersion | null): ControlError {
  const by = newest ? `, set by ${newest.setBy} at ${new Date(newest.setAt).toISOString()}` : '';
  return new ControlError(
    'outdated',
    `The settings are of version ${newest?.version ?? 0} now${by}. Look at them, and make your change from that version.`,
  );
}

function toldOf({ setAt, ...row }: Omit<StoredSettings, 'setAt'> & { setAt: Date }): StoredSettings {
  return { ...row, setAt: setAt.getTime() };
}
