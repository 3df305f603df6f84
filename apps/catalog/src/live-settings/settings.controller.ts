import { Controller } from '@nestjs/common';
import { settingsOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { LiveCatalog } from '../live-catalog';
import { noSettings } from '../operator/operator-choices';
import { known, stored } from '../operator/stored';
import { SettingsChanges } from './settings-changes';
import { SettingsHistory } from './settings-history';

type Operations = typeof settingsOperations;
type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;
type Reply<Name extends keyof Operations> = Promise<z.input<Operations[Name]['reply']>>;

/** What administrators set without the file. */
@Controller()
export class SettingsController {
  constructor(
    private readonly history: SettingsHistory,
    private readonly changes: SettingsChanges,
    private readonly catalog: LiveCatalog,
  ) {}

  @Serve(settingsOperations.show)
  async show(_asked: Request<'show'>): Reply<'show'> {
    const newest = await known(this.history.newest());
    const { version: inForce, entries } = this.catalog.settingsInForce;
    return { ...(newest ?? { ...noSettings, setAt: null, setBy: null, reason: null }), inForce, entries };
  }

  @Serve(settingsOperations.apply)
  apply(asked: Request<'apply'>): Reply<'apply'> {
    return stored(this.changes.apply(asked));
  }

  @Serve(settingsOperations.history)
  list({ limit, after }: Request<'history'>): Reply<'history'> {
    return known(this.history.list(limit, after));
  }

  @Serve(settingsOperations.find)
  async find({ version }: Request<'find'>): Reply<'find'> {
    return { settings: await known(this.history.find(version)) };
  }

  @Serve(settingsOperations.rollBack)
  rollBack(asked: Request<'rollBack'>): Reply<'rollBack'> {
    return stored(this.changes.rollBack(asked));
  }
}
