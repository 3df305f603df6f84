import type { ListedModel } from '../api/catalog';
import { isUsable } from '../keys/key-state';
import { useKeys } from '../keys/use-keys';
import { asAskedWith } from './preferred-model';

/** Tells of models whether one's keys can ask them, also with a key of a provider that the account brought. */
export function useAsked(): (models: readonly ListedModel[]) => ListedModel[] {
  const { data, dataUpdatedAt } = useKeys();
  const usable = data?.data.filter((key) => isUsable(key, dataUpdatedAt)) ?? [];
  return (models) => asAskedWith(usable, models);
}
