import type { CatalogModel } from '@tollgate/contracts/catalog';
import { takesMedia, tokensOfWords } from '@tollgate/dialects/surface';
import type { RequestMedia, SurfaceRequest } from '@tollgate/dialects/surface';

/**
 * What a request's input is counted as where words take the place of its pictures, files and recordings,
 * which they do at a model that does not take them: where none of `places` (the model and what may answer for
 * it) does. A picture that one of them sees is counted as one.
 */
export function countedInWords(read: SurfaceRequest, places: readonly CatalogModel[]): SurfaceRequest {
  const fewer = fewerTokens(read, places);
  if (fewer === 0) return read;
  const { inputTokensEstimate, mediaTokens } = read;
  return { ...read, inputTokensEstimate: inputTokensEstimate - fewer, mediaTokens: mediaTokens - fewer };
}

/** How many tokens those words have less than what they stand for; below 0 where that is small. */
export function fewerTokens({ media = [] }: SurfaceRequest, places: readonly CatalogModel[]): number {
  const unseen = media.filter((each) => isUnseen(each, places));
  return unseen.reduce((sum, { need, parts, tokens }) => sum + tokens - parts * tokensOfWords(need), 0);
}

/** Whether one of them takes some of it. */
export function holdsSeen({ media = [] }: SurfaceRequest, places: readonly CatalogModel[]): boolean {
  return media.some((each) => !isUnseen(each, places));
}

/** What is asked of a model that does not take it is refused. */
function isUnseen({ need, isAsked }: RequestMedia, places: readonly CatalogModel[]): boolean {
  return !isAsked && places.every((model) => !takesMedia(model, need));
}
