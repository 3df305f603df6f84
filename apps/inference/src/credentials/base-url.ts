import type { ProviderDefinition } from '@tollgate/contracts';
import type { EnvironmentSecrets } from './environment-secrets';

/** Names of regions, projects and resources. Anything else could lead a key to another host. */
const plainName = /^[a-zA-Z0-9][a-zA-Z0-9-]*$/;

/** The base URL with its placeholders filled, or what is missing: a sentence for the operator. */
export function filledBaseUrl(
  provider: ProviderDefinition,
  secrets: EnvironmentSecrets,
): { baseUrl: string } | { problem: string } {
  let { baseUrl } = provider;
  for (const [name, { env, default: otherwise }] of Object.entries(provider.placeholders)) {
    if (!baseUrl.includes(`{${name}}`)) continue;
    const value = secrets.first(env) ?? otherwise;
    if (value === null) return { problem: `${provider.name} needs ${env.join(' or ')} beside its credential` };
    if (!plainName.test(value)) {
      return { problem: `${env.join(' or ')} must be a name of letters, digits and dashes, for ${provider.name}` };
    }
    baseUrl = baseUrl.replaceAll(`{${name}}`, value);
  }
  return { baseUrl };
}
