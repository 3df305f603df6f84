import type { CatalogModel } from '@tollgate/contracts';
import type { Translation, UpstreamRequest } from '../provider-dialect';
import type { MediaForm } from './media-forms';
import { inWords } from './in-words';

/**
 * A translation in which pictures, files and recordings of earlier turns and of tools are words where the
 * model that is asked does not take them, as providers refuse all of a request for one of them. Another place
 * of the same request, whose model takes them, gets them.
 * @throws GatewayError 400 where the user's new question holds what the model does not take.
 */
export function withWords(translation: Translation, form: MediaForm): Translation {
  const translate = translation.translate?.bind(translation);
  return {
    ...translation,
    prepare: (body, target, options) => {
      // A thread has done so before it translated.
      if (options.translated) return translation.prepare(body, target, options);
      const taken = inWords(body, form, target.model, true);
      return warned(translation.prepare(taken.body, target, options), taken.warnings);
    },
    ...(translate && {
      translate: (body, target) => {
        const taken = inWords(body, form, target.model, true);
        return warned(translate(taken.body, target), taken.warnings);
      },
    }),
    countInputTokens: (body: Uint8Array, model?: CatalogModel) =>
      translation.countInputTokens(model ? inWords(body, form, model, false).body : body),
  };
}

/** An attempt whose caller is told of these first. */
export function warned<Attempt extends { request: UpstreamRequest }>(
  attempt: Attempt,
  warnings: readonly string[],
): Attempt {
  if (warnings.length === 0) return attempt;
  return { ...attempt, request: { ...attempt.request, warnings: [...warnings, ...attempt.request.warnings] } };
}
