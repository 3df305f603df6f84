import type { TollgateFile } from '@tollgate/configuration';
import type { DialectName } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import type { modelDiscovery, ProviderDefinition } from '@tollgate/contracts/catalog';
import { serverPresets, type ServerPreset } from '@tollgate/providers';
import type { z } from 'zod';

/**
 * The built-in providers, changed and joined by those of the configuration file. Faults are added to
 * `problems`, one line each.
 */
export function knownProviders(
  builtIn: readonly ProviderDefinition[],
  file: TollgateFile,
  problems: string[],
): Map<string, ProviderDefinition> {
  const providers = new Map(builtIn.map((provider) => [provider.id, followed(provider, file)]));
  file.providers.forEach((entry, index) => {
    const before = providers.get(entry.id);
    const preset = entry.preset && serverPresets[entry.preset];
    const dialect = entry.dialect ?? before?.dialect ?? (preset && 'openai-chat');
    const baseUrl = addressOf(entry, preset) ?? before?.baseUrl;
    if (!dialect || !baseUrl) {
      const missing = [...(dialect ? [] : ['dialect']), ...(baseUrl ? [] : ['baseUrl'])].join(' and ');
      problems.push(
        `${file.locate(['providers', index])}: ${entry.id} is a new provider and needs ${missing}, or a preset`,
      );
      return;
    }
    const {
      preset: _,
      models,
      name = entry.id,
      apiKeyEnv = [],
      queues = true,
      timeouts,
      quirks,
      ...rest
    } = { ...preset, ...before, ...entry };
    providers.set(
      entry.id,
      providerDefinition.parse({
        ...rest,
        name,
        apiKeyEnv,
        queues,
        dialect,
        baseUrl,
        alsoAt: entry.alsoAt ?? pathsOf(before, baseUrl),
        operatorDefined: !before,
        textCompletions: rest.textCompletions ?? !before,
        discover: discoveryOf(entry, models, before),
        timeouts: { ...before?.timeouts, ...timeouts },
        quirks: { ...preset?.quirks, ...before?.quirks, ...quirks },
      }),
    );
  });
  return providers;
}

/**
 * What else stands on the same host: not where an operator named another path, behind which there is another
 * server.
 */
function pathsOf(before: ProviderDefinition | undefined, baseUrl: string): ProviderDefinition['alsoAt'] {
  const isSame = before !== undefined && new URL(before.baseUrl).pathname === new URL(baseUrl).pathname;
  return isSame ? before.alsoAt : [];
}

/** Who lists in a form that says what a model is for, with the key alone. */
const listing: readonly DialectName[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'cohere'];
const dailyS = 86_400;

/**
 * A built-in provider tells what it ships: it is asked daily, and what is new waits for an operator unless
 * the file says otherwise.
 */
function followed(provider: ProviderDefinition, { newModels }: TollgateFile): ProviderDefinition {
  const lists = listing.includes(provider.dialect) && provider.authentication !== 'google';
  const serve = newModels ?? 'on-approval';
  // Where the address has a part of one's own, the list is not that of the maker.
  if (serve === 'never' || !lists || Object.keys(provider.placeholders).length > 0) return provider;
  return { ...provider, discover: { match: ['*'], prefix: `${provider.id}/`, serve, onlyNew: true, everyS: dailyS } };
}

/** An entry that names another address has another list: it is read only where the entry says so. */
function discoveryOf(
  { id, baseUrl }: TollgateFile['providers'][number],
  models: TollgateFile['providers'][number]['models'],
  before: ProviderDefinition | undefined,
): z.input<typeof modelDiscovery> | null {
  if (models) return { prefix: `${id}/`, ...models };
  return models === null || baseUrl !== undefined ? null : (before?.discover ?? null);
}

/**
 * The address of a server of a preset: people name its host and port, and all of them answer below /v1.
 * Undefined: none is named.
 */
function addressOf(
  { baseUrl }: TollgateFile['providers'][number],
  preset: ServerPreset | undefined,
): string | undefined {
  if (!preset || baseUrl === undefined) return baseUrl ?? preset?.baseUrl;
  return new URL(baseUrl).pathname === '/' ? new URL('/v1', baseUrl).href : baseUrl;
}
