import type { TollgateFile } from '@tollgate/configuration';
import type { ProviderDefinition } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts';
import { serverPresets, type ServerPreset } from '@tollgate/providers';

/** The built-in providers, changed and joined by those of the configuration file. Faults are added to `problems`, one line each. */
export function knownProviders(
  builtIn: readonly ProviderDefinition[],
  file: TollgateFile,
  problems: string[],
): Map<string, ProviderDefinition> {
  const providers = new Map(builtIn.map((provider) => [provider.id, provider]));
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
        operatorDefined: !before,
        textCompletions: rest.textCompletions ?? !before,
        discover: models ? { prefix: `${entry.id}/`, ...models } : (before?.discover ?? null),
        timeouts: { ...before?.timeouts, ...timeouts },
        quirks: { ...preset?.quirks, ...before?.quirks, ...quirks },
      }),
    );
  });
  return providers;
}

/** The address of a server of a preset: people name its host and port, and all of them answer below /v1. Undefined: none is named. */
function addressOf(
  { baseUrl }: TollgateFile['providers'][number],
  preset: ServerPreset | undefined,
): string | undefined {
  if (!preset || baseUrl === undefined) return baseUrl ?? preset?.baseUrl;
  return new URL(baseUrl).pathname === '/' ? new URL('/v1', baseUrl).href : baseUrl;
}
