import { GatewayError } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { MediaNeed, Need } from '../surface-dialect';
import { countTextTokens } from '../tokens/o200k';

/** What a model must take for each of them, by the catalog. */
const isTaken: Readonly<Record<MediaNeed, (model: Takes) => boolean>> = {
  images: ({ inputModalities }) => inputModalities.includes('image'),
  files: ({ inputModalities }) => inputModalities.includes('pdf'),
  audio: ({ inputModalities, outputModalities }) =>
    inputModalities.includes('audio') || outputModalities.includes('audio'),
};

/** What the catalog says of a model's input and output. */
export type Takes = Pick<CatalogModel, 'inputModalities' | 'outputModalities'>;

export const mediaNeeds: readonly MediaNeed[] = ['images', 'files', 'audio'];

/** Whether a model takes pictures, files (PDF) or recordings. */
export function takesMedia(model: Takes, need: MediaNeed): boolean {
  return isTaken[need](model);
}

/** The 400 for a request that needs what its model cannot do. */
export function unmetNeed(modelId: string, need: Need): GatewayError {
  return new GatewayError(
    400,
    `The model ${modelId} does not take ${need}: GET /v1/models tells what each model can do.`,
  );
}

/** What stands in the place of each for a model that does not take it: a text for the model, not its caller. */
export const mediaWords: Readonly<Record<MediaNeed, string>> = {
  images: '[An image was here. This model cannot see images.]',
  files: '[A file was here. This model cannot read files.]',
  audio: '[A recording was here. This model cannot hear recordings.]',
};

/** What a caller is told of it. */
export function mediaWarning(modelId: string, need: MediaNeed): string {
  return `${need} of earlier turns and of tools became words: ${modelId} does not take ${need}`;
}

const counted = new Map<MediaNeed, number>();

/** How many tokens those words have, by tokenizer. */
export function tokensOfWords(need: MediaNeed): number {
  let tokens = counted.get(need);
  if (tokens === undefined) counted.set(need, (tokens = countTextTokens(mediaWords[need])));
  return tokens;
}
