import type { TollgateFile } from '@tollgate/configuration';
import type { ProviderDefinition } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts';

/** The built-in providers, changed and joined by those of the configuration file. Faults are added to `problems`, one line each. */
export function knownProviders(
  builtIn: readonly ProviderDefinition[],
  file: TollgateFile,
  problems: string[],
): Map<string, ProviderDefinition> {
  const providers = new Map(builtIn.map((provider) => [provider.id, provider]));
  file.providers.forEach((entry, index) => {
    const before = providers.get(entry.id);
    const dialect = entry.dialect ?? before?.dialect;
    const baseUrl = entry.baseUrl ?? before?.baseUrl;
    if (!dialect || !baseUrl) {
      const missing = [...(dialect ? [] : ['dialect']), ...(baseUrl ? [] : ['baseUrl'])].join(' and ');
      problems.push(`${file.locate(['providers', index])}: ${entry.id} is a new provider and needs ${missing}`);
      return;
    }
    const { name = entry.id, apiKeyEnv = [], timeouts, quirks, ...rest } = { ...before, ...entry };
    providers.set(
      entry.id,
      providerDefinition.parse({
        ...rest,
        name,
        apiKeyEnv,
        dialect,
        baseUrl,
        operatorDefined: !before,
        timeouts: { ...before?.timeouts, ...timeouts },
        quirks: { ...before?.quirks, ...quirks },
      }),
    );
  });
  return providers;
}
