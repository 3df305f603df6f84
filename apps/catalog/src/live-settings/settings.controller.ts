import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { settingsOperations } from '@tollgate/contracts/catalog';
import { Serve } from '@tollgate/messaging';
import { LiveCatalog } from '../live-catalog';
import { noSettings } from '../operator/operator-choices';
import { known, stored } from '../operator/stored';
import { SettingsChanges } from './settings-changes';
import { SettingsHistory } from './settings-history';

type Served = ServedBy<typeof settingsOperations>;

/** What administrators set without the file. */
@Controller()
export class SettingsController {
  constructor(
    private readonly history: SettingsHistory,
    private readonly changes: SettingsChanges,
    private readonly catalog: LiveCatalog,
  ) {}

  @Serve(settingsOperations.show)
  async show(_asked: Served['show']['request']): Promise<Served['show']['reply']> {
    const newest = await known(this.history.newest());
    const { version: inForce, entries } = this.catalog.settingsInForce;
    return { ...(newest ?? { ...noSettings, setAt: null, setBy: null, reason: null }), inForce, entries };
  }

  @Serve(settingsOperations.apply)
  apply(asked: Served['apply']['request']): Promise<Served['apply']['reply']> {
    return stored(this.changes.apply(asked));
  }

  @Serve(settingsOperations.history)
  list({ limit, after }: Served['history']['request']): Promise<Served['history']['reply']> {
    return known(this.history.list(limit, after));
  }

  @Serve(settingsOperations.find)
  async find({ version }: Served['find']['request']): Promise<Served['find']['reply']> {
    return { settings: await known(this.history.find(version)) };
  }

  @Serve(settingsOperations.rollBack)
  rollBack(asked: Served['rollBack']['request']): Promise<Served['rollBack']['reply']> {
    return stored(this.changes.rollBack(asked));
  }
}
