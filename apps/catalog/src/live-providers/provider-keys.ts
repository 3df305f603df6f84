import { Inject, Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Database } from '@tollgate/database';
import type { GivenKey } from '../live-settings/fitting-providers';
import { DATABASE } from '../settings';

/** Keys of providers, sealed, in Postgres. */
@Injectable()
export class ProviderKeys {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database<'catalog'>, 'providerKey'>) {}

  async all(): Promise<GivenKey[]> {
    const rows = await this.database.providerKey.findMany({ orderBy: [{ provider: 'asc' }, { name: 'asc' }] });
    return rows.map(({ setAt, ...row }) => ({ ...row, setAt: setAt.getTime() }));
  }

  /** In the place of the one that had its name. */
  async set({ provider, name, ...rest }: Omit<GivenKey, 'setAt'>): Promise<void> {
    const row = { ...rest, setAt: new Date() };
    const where = { provider_name: { provider, name } };
    await this.database.providerKey.upsert({ where, create: { provider, name, ...row }, update: row });
  }

  /** The same key, sealed anew; false: it is another one by now. */
  async reseal({ provider, name, sealed: before }: GivenKey, sealed: string): Promise<boolean> {
    const where = { provider, name, sealed: before };
    const { count } = await this.database.providerKey.updateMany({ where, data: { sealed } });
    return count > 0;
  }

  /** @throws ControlError `not_found`. */
  async remove(provider: string, name: string): Promise<void> {
    const { count } = await this.database.providerKey.deleteMany({ where: { provider, name } });
    if (count === 0) throw new ControlError('not_found', `${provider} has no key ${name}.`);
  }

  /** Returns how many there were. */
  async removeAll(provider: string): Promise<number> {
    return (await this.database.providerKey.deleteMany({ where: { provider } })).count;
  }
}
