import type { ProviderDefinition } from './catalog';

type Reached = Pick<ProviderDefinition, 'apiKeyEnv' | 'authentication' | 'baseUrl' | 'placeholders'>;

/**
 * What has to be set for a provider to be reached, by the names of environment variables, in words. Those
 * with a default are left out. Null: nothing.
 */
export function neededVariables({ apiKeyEnv, authentication, baseUrl, placeholders }: Reached): string | null {
  const credentials = [
    ...apiKeyEnv,
    ...(authentication === 'aws' ? ['AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY'] : []),
  ];
  const places = Object.entries(placeholders)
    .filter(([name, place]) => place.default === null && baseUrl.includes(`{${name}}`))
    .map(([, { env }]) => env);
  const needed = [credentials, ...places].filter((names) => names.length > 0);
  return needed.map((names) => names.join(' or ')).join(', and ') || null;
}
