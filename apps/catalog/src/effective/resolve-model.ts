import type { ModelEntry } from '@tollgate/configuration';
import type { CatalogModel, Deployment } from '@tollgate/contracts/catalog';

/**
 * A complete model of an entry: what is absent gets its default. `aliases` are the configured ones only. Null
 * when the entry names neither a provider nor a deployment.
 */
export function resolveModel(entry: ModelEntry): CatalogModel | null {
  const provider = entry.provider ?? entry.deployments?.[0]?.provider;
  if (!provider) return null;
  const inputModalities = entry.inputModalities ?? ['text'];
  const kind = entry.kind ?? 'generation';
  const generates = kind === 'generation';
  return {
    id: entry.id,
    name: entry.name ?? entry.id,
    provider,
    kind,
    created: entry.created ?? 0,
    status: entry.status ?? 'active',
    contextWindow: entry.contextWindow ?? null,
    maxOutputTokens: entry.maxOutputTokens ?? null,
    inputModalities,
    outputModalities: entry.outputModalities ?? [kind === 'generation' ? 'text' : kind],
    capabilities: {
      streaming: generates,
      tools: generates,
      vision: inputModalities.includes('image'),
      reasoning: false,
      structuredOutput: false,
      temperature: generates,
      ...entry.capabilities,
    },
    prices: entry.prices ?? null,
    priceUnconfirmed: entry.priceUnconfirmed ?? false,
    retirement: entry.retirement ?? null,
    aliases: entry.aliases ?? [],
    deployments: deploymentsOf(entry, provider),
    fallbacks: entry.fallbacks ?? [],
    ...(entry.reasoningEfforts && { reasoningEfforts: entry.reasoningEfforts }),
    ...(entry.maxOutputUnstreamed !== undefined && { maxOutputUnstreamed: entry.maxOutputUnstreamed }),
    ...(entry.sharedContext !== undefined && { sharedContext: entry.sharedContext }),
    ...(entry.timeouts && { timeouts: entry.timeouts }),
    ...(entry.hedgeAfterMs !== undefined && { hedgeAfterMs: entry.hedgeAfterMs }),
    ...(entry.continueBrokenStreams !== undefined && { continueBrokenStreams: entry.continueBrokenStreams }),
  };
}

function deploymentsOf(entry: ModelEntry, provider: string): Deployment[] {
  const upstreamModel = entry.upstreamModel ?? bareName(entry.id, provider);
  return (entry.deployments ?? [{ provider }]).map((deployment) => {
    const name = deployment.upstreamModel ?? upstreamModel;
    return { ...deployment, id: deployment.id ?? `${deployment.provider}:${name}`, upstreamModel: name };
  });
}

/** The public id without its `provider/`. */
export function bareName(id: string, provider: string): string {
  return id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id;
}
