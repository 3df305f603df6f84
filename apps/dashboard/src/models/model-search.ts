import type { ListedModel } from '../api/catalog';

export interface ModelSearch {
  words: string;
  provider: string;
  capability: string;
  onlyAvailable: boolean;
}

/** The capabilities people look for, and how they are told. */
export const capabilityFilters: { id: string; name: string; has: (model: ListedModel) => boolean }[] = [
  { id: 'tools', name: 'Tools', has: ({ capabilities }) => capabilities['tools'] === true },
  { id: 'vision', name: 'Images', has: ({ capabilities }) => capabilities['vision'] === true },
  { id: 'reasoning', name: 'Reasoning', has: ({ capabilities }) => capabilities['reasoning'] === true },
  {
    id: 'structured',
    name: 'Structured output',
    has: ({ capabilities }) => capabilities['structured_output'] === true || capabilities['structuredOutput'] === true,
  },
  { id: 'embedding', name: 'Embeddings', has: ({ kind }) => kind === 'embedding' },
  { id: 'rerank', name: 'Reranking', has: ({ kind }) => kind === 'rerank' },
];

/** Every word must occur in the id, the name or the provider's name. */
export function searchModels<Model extends ListedModel>(models: Model[], wanted: ModelSearch): Model[] {
  const words = wanted.words.toLowerCase().split(/\s+/);
  const capability = capabilityFilters.find(({ id }) => id === wanted.capability);
  return models.filter((model) => {
    const text = `${model.id} ${model.name} ${model.providerName}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (!wanted.provider || model.provider === wanted.provider) &&
      (!capability || capability.has(model)) &&
      (!wanted.onlyAvailable || model.available)
    );
  });
}
