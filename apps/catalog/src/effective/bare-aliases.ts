import type { CatalogModel } from '@tollgate/contracts';
import { bareName } from './resolve-model';

/**
 * The names without `provider/` under which models may be asked for, by model id: the name at the provider and the public id's own part. Only names that one
 * single model has, that are nobody's id or configured alias, and that do not look like another provider's id (Groq's `openai/gpt-oss-20b`).
 */
export function bareAliases(models: readonly CatalogModel[], providerIds: ReadonlySet<string>): Map<string, string[]> {
  const taken = new Set(models.flatMap(({ id, aliases }) => [id, ...aliases]));
  const claims = new Map<string, Set<string>>();
  for (const { id, provider, deployments } of models)
    for (const name of [bareName(id, provider), ...deployments.map(({ upstreamModel }) => upstreamModel)])
      claims.set(name, (claims.get(name) ?? new Set<string>()).add(id));

  const aliases = new Map<string, string[]>();
  for (const [name, owners] of claims) {
    const [owner, ...others] = owners;
    const [prefix = '', ...rest] = name.split('/');
    if (owner === undefined || others.length || taken.has(name) || (rest.length && providerIds.has(prefix))) continue;
    aliases.set(owner, [...(aliases.get(owner) ?? []), name]);
  }
  return aliases;
}
