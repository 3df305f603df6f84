import type { ListedModel } from '../api/catalog';

/** Small, cheap and known: what the examples ask, too. */
const usual = 'openai/gpt-5.4-mini';

/** The model to begin with: the last that was asked, else one that really answers, else any. */
export function preferredModel(models: readonly ListedModel[], last: string): string {
  const found =
    models.find(({ id }) => id === last) ??
    models.find(({ id, simulated }) => id === usual && !simulated) ??
    models.find(({ simulated }) => !simulated) ??
    models.find(({ id }) => id === usual) ??
    models[0];
  return found?.id ?? '';
}
