import type { Settings, SettingsProvider } from '@tollgate/configuration';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { builtInProviders } from '@tollgate/providers';
import { outgoingAddress } from '@tollgate/service';
import type { ReadFile } from '../configuration-file/read-catalog';
import { knownProviders } from '../effective/known-providers';
import { isBuiltIn, withSettings } from './with-settings';

/** A key of a provider as it is kept: sealed for `baseUrl`. `setAt`: epoch milliseconds. */
export interface GivenKey {
  provider: string;
  name: string;
  baseUrl: string;
  sealed: string;
  lastFour: string | null;
  setAt: number;
  setBy: string;
}

/** What providers that are set without the file depend on beside it. */
export interface ForProviders {
  keys: readonly GivenKey[];
  /** Hosts that the environment trusts. */
  privateHosts: readonly string[];
}

/** No key was given, and no host is trusted. */
export const nothingGiven: ForProviders = { keys: [], privateHosts: [] };

/** A provider of the settings. `definition` null: it does not fit, for the reason that `problem` tells. */
export interface FittingProvider {
  entry: SettingsProvider;
  definition: ProviderDefinition | null;
  problem: string | null;
}

/** Fields by which a provider would be asked elsewhere, or otherwise, than the release says. */
const ofTheAddress = ['baseUrl', 'preset', 'dialect', 'alsoSpeaks', 'alsoAt', 'authentication'] as const;

/** Each provider of the settings that the file does not have, with what it comes to, or why it does not fit. */
export function fittingProviders(read: ReadFile, settings: Settings, given: ForProviders): FittingProvider[] {
  return settings.providers
    .filter(({ id }) => !read.file.providers.some((each) => each.id === id))
    .map((entry) => {
      const outcome = definitionOf(read, settings, entry, given);
      if (typeof outcome !== 'string') return { entry, definition: outcome, problem: null };
      const where = settings.locate(['providers', settings.providers.indexOf(entry)]);
      return { entry, definition: null, problem: outcome.startsWith(where) ? outcome : `${where}: ${outcome}` };
    });
}

/** Or why it does not fit. */
function definitionOf(
  { file }: ReadFile,
  settings: Settings,
  entry: SettingsProvider,
  { keys, privateHosts }: ForProviders,
): ProviderDefinition | string {
  const { id } = entry;
  const builtIn = isBuiltIn(id);
  if (builtIn && ofTheAddress.some((field) => entry[field] !== undefined))
    return `${id} is a provider of the release, whose address is changed in tollgate.yaml: give a server of yours another id`;
  const problems: string[] = [];
  const alone = withSettings(file, settings, [], [entry]);
  const definition = knownProviders(builtInProviders, alone, problems).get(id);
  if (!definition || problems.length > 0) return problems.join('; ');
  if (builtIn && entry.keys && definition.authentication === 'google')
    return `${id} takes credentials of Google, which stand in the environment alone`;
  const trust = builtIn ? null : distrustOf(definition.baseUrl, privateHosts);
  if (trust !== null) return `the address of ${id} ${trust}`;
  return { ...definition, isLive: !builtIn, sealedKeys: entry.keys ? usable(definition, entry.keys, keys) : null };
}

function usable({ id, baseUrl }: ProviderDefinition, names: readonly string[], keys: readonly GivenKey[]) {
  return names.flatMap((name) => {
    const key = keys.find((each) => each.provider === id && each.name === name && each.baseUrl === baseUrl);
    return key ? [{ name, sealed: key.sealed }] : [];
  });
}

/** Null: a key may go there. */
function distrustOf(baseUrl: string, privateHosts: readonly string[]): string | null {
  try {
    outgoingAddress(baseUrl, privateHosts, 'PROVIDER_PRIVATE_HOSTS');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Why none of the keys that a provider of the settings names can be used. Null: one can, it names none, or it
 * is one of the release, which may have one of the environment: inference tells.
 */
export function missingKeys({ entry, definition }: FittingProvider, keys: readonly GivenKey[]): string | null {
  const [first] = entry.keys ?? [];
  if (first === undefined || !definition?.isLive || definition.sealedKeys?.length !== 0) return null;
  return (entry.keys ?? []).map((name) => `its key ${name} ${whyNot(definition, name, keys)}`).join('; ');
}

/** Why a key cannot be used that is named so. */
export function whyNot({ id }: ProviderDefinition, name: string, keys: readonly GivenKey[]): string {
  const key = keys.find((each) => each.provider === id && each.name === name);
  return key
    ? `was given for ${key.baseUrl}, and goes to no other address: give it again`
    : 'is not there: it was not given yet, or was removed';
}
