import { Injectable } from '@nestjs/common';
import {
  parseSettings,
  readableSettings,
  withEntry,
  withoutEntry,
  type Settings,
  type SettingsProvider,
} from '@tollgate/configuration';
import { ControlError, type ServedBy } from '@tollgate/contracts';
import type { LiveProvider, liveProviderOperations, ProviderDefinition, SealingKey } from '@tollgate/contracts/catalog';
import { builtInProviders } from '@tollgate/providers';
import { isDeepStrictEqual } from 'node:util';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { LiveCatalog } from '../live-catalog';
import { fittingProviders, missingKeys, whyNot, type GivenKey } from '../live-settings/fitting-providers';
import { isOutdated, orInvalid, SettingsChanges } from '../live-settings/settings-changes';
import { SettingsHistory } from '../live-settings/settings-history';
import { isBuiltIn } from '../live-settings/with-settings';
import { noSettings } from '../operator/operator-choices';
import { ProviderKeys } from './provider-keys';

type Served = ServedBy<typeof liveProviderOperations>;

/** Of a key that no provider of the settings goes with; the provider itself may be set. */
const unnamedKey = (provider: string) =>
  `The settings do not name this key among those of ${provider}: it is not used.`;

/** The name of a key where nobody gave one. */
const usualKey = 'main';

/** What became of the keys that accounts brought; `unseen`: not all of them were looked at. */
export interface ResealedOwn {
  resealed: number;
  unseen?: true;
  failed: { account: string; provider: string }[];
}

/** Who makes a change, and why. */
interface Change {
  reason: string;
  by: string;
}

/** The settings that hold, as text and as read. */
interface Newest {
  version: number;
  document: string;
  settings: Settings;
}

/** Providers that are set without the file, as entries of the settings, and their keys. */
@Injectable()
export class LiveProviders {
  constructor(
    private readonly history: SettingsHistory,
    private readonly changes: SettingsChanges,
    private readonly keys: ProviderKeys,
    private readonly file: ConfigurationFile,
    private readonly catalog: LiveCatalog,
  ) {}

  async list(): Promise<Served['list']['reply']> {
    const { settings } = await this.newest();
    const keys = await this.keys.all();
    return {
      sealing: this.catalog.sealing,
      providers: settings.providers.map(({ id }) => this.told(id, settings, keys)),
    };
  }

  /** @throws ControlError `invalid` for what does not fit, `conflict` for one that is there already. */
  async set({
    provider,
    onlyNew,
    keys,
    reason,
    by,
    ...fields
  }: Served['set']['request']): Promise<Served['set']['reply']> {
    const version = await this.change({ reason: reason ?? `provider ${provider}`, by }, ({ document, settings }) => {
      const isNew = !settings.providers.some(({ id }) => id === provider);
      if (onlyNew && (!isNew || isBuiltIn(provider)))
        throw new ControlError('conflict', `There is a provider ${provider} already: change it, or take another id.`);
      const names = keys ?? (isNew ? [usualKey] : undefined);
      const usual = isNew && !isBuiltIn(provider) ? usualFields(fields) : {};
      return withEntry(document, 'providers', provider, {
        ...usual,
        ...fields,
        keys: names?.length === 0 ? null : names,
      });
    });
    return { version, provider: await this.toldNow(provider) };
  }

  /** @throws ControlError `not_found`, and `invalid` where the settings need it. */
  async remove({ provider, reason, by }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    const change = { reason: reason ?? `without provider ${provider}`, by };
    const without = ({ document }: { document: string }) => withoutEntry(document, 'providers', provider) ?? document;
    // What the settings need stays, with its keys. Else the keys go first: none outlives its provider.
    await this.tryChange(change, without);
    const { document } = await this.newest();
    const isSet = orInvalid(() => without({ document })) !== document;
    const removed = await this.keys.removeAll(provider);
    if (!isSet && removed === 0) throw new ControlError('not_found', `The settings have no provider ${provider}.`);
    const version = await this.change(change, without);
    // One that was given meanwhile.
    await this.keys.removeAll(provider);
    return { version };
  }

  /** @throws ControlError `not_found`, `invalid` or `unavailable`, as the operation says. */
  async sealingFor(provider: string): Promise<Served['sealingFor']['reply']> {
    const { baseUrl } = this.definition(provider, (await this.newest()).settings);
    return { sealing: this.sealing(), baseUrl };
  }

  /** @throws ControlError `not_found`, `invalid` or `unavailable`, as the operation says. */
  async setKey({
    provider,
    name,
    baseUrl,
    sealed,
    lastFour,
    by,
  }: Served['setKey']['request']): Promise<Served['setKey']['reply']> {
    const { settings } = await this.newest();
    const { baseUrl: here } = this.definition(provider, settings);
    if (here !== baseUrl)
      throw new ControlError(
        'invalid',
        `${provider} is at ${here}, and the key was sealed for ${baseUrl}. It is not kept.`,
      );
    const { id } = this.sealing();
    if (!sealed.startsWith(`${id}.`))
      throw new ControlError('invalid', 'The key is sealed with another key than inference tells now. It is not kept.');
    const change = { reason: `key ${name} of ${provider}`, by };
    const names = (before: readonly string[]) => (before.includes(name) ? before : [...before, name]);
    // A key that cannot be named takes the place of none.
    await this.tryChange(change, (newest) => withNames(newest, provider, names));
    await this.keys.set({ provider, name, baseUrl, sealed, lastFour, setBy: by });
    const version = await this.change(change, (newest) => withNames(newest, provider, names));
    if (!(await this.newest()).settings.providers.some(({ id }) => id === provider)) {
      await this.keys.removeAll(provider);
      throw new ControlError('not_found', `${provider} was removed meanwhile, and the key with it.`);
    }
    return { version, provider: await this.toldNow(provider) };
  }

  /**
   * The last key stays named, so that its provider is told to lack it, and neither asked without any nor
   * taken for one that was never used.
   * @throws ControlError `not_found`.
   */
  async removeKey({ provider, name, by }: Served['removeKey']['request']): Promise<Served['removeKey']['reply']> {
    await this.keys.remove(provider, name);
    const version = await this.change({ reason: `without key ${name} of ${provider}`, by }, (newest) =>
      withNames(newest, provider, (before) => (before.length > 1 ? before.filter((each) => each !== name) : before)),
    );
    return { version, provider: await this.toldNow(provider) };
  }

  /**
   * Seals again what is not sealed with the newest key. `again`: has inference do it, null: it cannot;
   * `ofAccounts`: has accounts do it with what its accounts brought.
   * @throws ControlError `unavailable`.
   */
  async reseal(
    again: (key: GivenKey) => Promise<string | null>,
    ofAccounts: (sealing: string) => Promise<ResealedOwn>,
  ): Promise<Served['reseal']['reply']> {
    this.sealing();
    const newest = this.catalog.newestSealing;
    if (!newest)
      throw new ControlError(
        'unavailable',
        'Inference instances have different key-encryption keys as their newest: restart all of them under the new one first.',
      );
    const { id } = newest;
    const failed: { provider: string; name: string }[] = [];
    let resealed = 0;
    for (const key of await this.keys.all()) {
      if (key.sealed.startsWith(`${id}.`)) continue;
      const sealed = await again(key);
      if (!sealed?.startsWith(`${id}.`)) failed.push({ provider: key.provider, name: key.name });
      else if (await this.keys.reseal(key, sealed)) resealed++;
    }
    await this.catalog.look();
    const own = await ofAccounts(id);
    const unseen = own.unseen && { ownUnseen: true };
    return { resealed: resealed + own.resealed, failed, failedOwn: own.failed, ...unseen };
  }

  /** Has looked at what `change` would do. @throws ControlError `invalid` where it would be refused. */
  private async tryChange({ reason, by }: Change, make: (newest: Newest) => string): Promise<void> {
    const newest = await this.newest();
    const document = orInvalid(() => make(newest));
    if (document === newest.document) return;
    try {
      await this.changes.apply({ document, version: newest.version, reason, dryRun: true, takesAllBack: true, by });
    } catch (error) {
      if (!isOutdated(error)) throw error;
    }
  }

  /** Makes another document of the newest, whoever changes it meanwhile. @throws ControlError. */
  private change({ reason, by }: Change, make: (newest: Newest) => string): Promise<number> {
    return this.changes.fromNewest(undefined, async ({ version, document }) => {
      const after = orInvalid(() => make(read({ version, document })));
      if (after === document) {
        await this.catalog.look();
        return version;
      }
      return (await this.changes.apply({ document: after, version, reason, dryRun: false, takesAllBack: true, by }))
        .version;
    });
  }

  private async newest(): Promise<Newest> {
    return read((await this.history.newest()) ?? noSettings);
  }

  private async toldNow(provider: string): Promise<LiveProvider> {
    return this.told(provider, (await this.newest()).settings, await this.keys.all());
  }

  private told(provider: string, settings: Settings, keys: readonly GivenKey[]): LiveProvider {
    const given = { ...this.catalog.forProviders, keys };
    const live = fittingProviders(this.file.inForce, settings, given).find(({ entry }) => entry.id === provider);
    const definition = live?.definition ?? null;
    const problem = live
      ? (live.problem ?? missingKeys(live, keys) ?? this.catalog.faults.get(provider) ?? null)
      : this.isOfFile(provider)
        ? `${provider} stands in tollgate.yaml, which holds in its place`
        : isBuiltIn(provider)
          ? null
          : `${provider} is not set`;
    return {
      provider,
      builtIn: isBuiltIn(provider),
      baseUrl: definition?.baseUrl ?? null,
      problem,
      keys: keys
        .filter((key) => key.provider === provider)
        .map(({ name, lastFour, setAt, setBy, baseUrl }) => {
          const isOff = definition !== null && definition.baseUrl !== baseUrl;
          const unused = live?.entry.keys?.includes(name) ? null : unnamedKey(provider);
          return { name, lastFour, setAt, setBy, problem: isOff ? `It ${whyNot(definition, name, keys)}.` : unused };
        }),
    };
  }

  /** A provider as the newest settings have it, for a key. @throws ControlError `not_found` or `invalid`. */
  private definition(provider: string, settings: Settings): ProviderDefinition {
    if (this.isOfFile(provider))
      throw new ControlError('invalid', `${provider} stands in tollgate.yaml: its keys are given in the environment.`);
    const entry: SettingsProvider = settings.providers.find(({ id }) => id === provider) ?? { id: provider };
    const known = settings.providers.includes(entry) || builtInProviders.some(({ id }) => id === provider);
    if (!known)
      throw new ControlError('not_found', `There is no provider ${provider}. Set it first, with its address.`);
    const alone = { ...parseSettings(''), providers: [{ ...entry, keys: [usualKey] }] };
    const [fitting] = fittingProviders(this.file.inForce, alone, this.catalog.forProviders);
    if (fitting?.definition) return fitting.definition;
    throw new ControlError('invalid', `${provider} cannot be given a key: ${fitting?.problem ?? 'it does not fit'}`);
  }

  private isOfFile(provider: string): boolean {
    return this.file.inForce.file.providers.some(({ id }) => id === provider);
  }

  /** @throws ControlError `unavailable`. */
  private sealing(): SealingKey {
    const { sealing } = this.catalog;
    if (sealing) return sealing;
    throw new ControlError(
      'unavailable',
      'No inference instance that runs has a key-encryption key, or they have none in common: give all of them the same TOLLGATE_KEY_ENCRYPTION_KEY.',
    );
  }
}

function read({ version, document }: Omit<Newest, 'settings'>): Newest {
  return { version, document, settings: readableSettings(document).settings };
}

/** How a server is asked of which nobody says more than its address. */
function usualFields({ preset }: Pick<Served['set']['request'], 'preset'>): Record<string, unknown> {
  return { ...(preset === undefined && { dialect: 'openai-chat' }), models: 'discover' };
}

/** The document in which a provider's keys are named so. */
function withNames(
  { document, settings }: Pick<Newest, 'document' | 'settings'>,
  provider: string,
  names: (before: readonly string[]) => readonly string[],
): string {
  const entry = settings.providers.find(({ id }) => id === provider);
  if (!entry && !isBuiltIn(provider)) return document;
  const before = entry?.keys ?? [];
  const after = names(before);
  return isDeepStrictEqual(after, before) ? document : withEntry(document, 'providers', provider, { keys: after });
}
