import { ControlError, type ModelKind } from '@tollgate/contracts';
import {
  catalogOperations,
  isModelAllowed,
  ModelIndex,
  nearestModels,
  type CatalogModel,
} from '@tollgate/contracts/catalog';
import type { ControlClient } from '@tollgate/messaging';

const doings: Readonly<Record<ModelKind, string>> = {
  generation: 'generates',
  embedding: 'is for embeddings',
  rerank: 'is for reranking',
};

/** Also for whoever has keys that are used for such models alone: a budget does not know that. */
const orElse = ', or make a budget of such models alone (`models`; `--models`)';

/**
 * That requests can name the model which is to serve what exceeds a soft budget. One that is not offered now
 * is taken: its provider may be set up later, and an account may bring a key of it.
 * `budgetModels`: the patterns of the models that the budget is of; none: of all.
 * @throws ControlError `invalid` where no model goes by this name, or several do, or it does something else
 * than those of the budget; `unavailable` while the catalog is away: nobody waits for it.
 */
export async function requireModel(
  control: ControlClient,
  name: string,
  budgetModels: readonly string[],
): Promise<void> {
  const index = new ModelIndex(await control.call(catalogOperations.snapshot, {}, { absentMs: 0 }));
  const meant = index.meant(name);
  const one = index.preferred(meant);
  if (one) return requireKind(one, index, budgetModels);
  const told = JSON.stringify(name);
  if (meant.length > 0) {
    const ids = meant.map(({ id }) => id).join(', ');
    throw new ControlError('invalid', `fallbackModel: ${told} may be one of several models: name ${ids}.`);
  }
  const near = nearestModels(name, index.makersFirst);
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  throw new ControlError('invalid', `fallbackModel: the catalog has no model ${told}.${hint}`);
}

/**
 * A budget of models of several kinds has another one that generates: most is spent for those. Of a model
 * that nobody lists it is not known what it does.
 * @throws ControlError `invalid`.
 */
function requireKind(model: CatalogModel, { makersFirst }: ModelIndex, budgetModels: readonly string[]): void {
  if (model.unlisted) return;
  const kinds = makersFirst.filter(({ id }) => isModelAllowed(budgetModels, id)).map(({ kind }) => kind);
  const wanted = kinds.includes('generation') ? 'generation' : kinds[0];
  // Of models that come later nobody knows what they do.
  if (wanted === undefined || model.kind === wanted) return;
  if (wanted !== 'generation' && kinds.includes(model.kind)) return;
  const what = `${model.id} ${doings[model.kind]}, and what this budget is of ${doings[wanted]}`;
  const ask = `name a model that ${doings[wanted]}`;
  throw new ControlError('invalid', `fallbackModel: ${what}: ${ask}${kinds.includes(model.kind) ? orElse : ''}.`);
}
