import { catalogModel, modality, type CatalogModel, type ProviderDefinition } from './catalog';

const longestId = 200;

/**
 * The model that `id` means at a provider that passes any name on, `provider/name`: nothing is known of it,
 * so nothing is refused in the provider's place, and it has no price. All of one provider share a deployment.
 * Null: no such provider, or no name.
 */
export function unlistedModel(
  providers: readonly Pick<ProviderDefinition, 'id' | 'unlisted'>[],
  id: string,
): CatalogModel | null {
  const slash = id.indexOf('/');
  const provider = id.slice(0, Math.max(0, slash));
  if (id.length > longestId || !providers.some((each) => each.unlisted && each.id === provider)) return null;
  const name = id.slice(slash + 1);
  const model = catalogModel.safeParse({
    id,
    name,
    provider,
    created: 0,
    status: 'active',
    contextWindow: null,
    maxOutputTokens: null,
    inputModalities: modality.options,
    outputModalities: ['text'],
    capabilities: {
      streaming: true,
      tools: true,
      vision: true,
      reasoning: true,
      structuredOutput: true,
      temperature: true,
    },
    prices: null,
    aliases: [],
    deployments: [{ id: `${provider}:*`, provider, upstreamModel: name }],
    fallbacks: [],
    unlisted: true,
  });
  return model.data ?? null;
}
