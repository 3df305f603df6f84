import { serviceVariables } from '@tollgate/configuration';

/** Every variable that a service reads; none for what is no service. */
export function variablesReadBy(service: string): string[] {
  const table: Readonly<Record<string, { readonly shape: object } | undefined>> = serviceVariables;
  return Object.keys(table[service]?.shape ?? {});
}
