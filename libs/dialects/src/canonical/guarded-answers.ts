import type { Translation } from '../provider-dialect';
import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import type { ProviderCodec, SurfaceCodec } from './codec';
import { emptyRequest } from './pass-through';
import { translatedReader } from './translate';

/**
 * A translation that passes bytes, but for answers that go through gates, or that may go on elsewhere: those
 * are read into canonical events and written anew, so that nothing of them goes by unseen. What the canonical
 * form does not name is not in them. Requests pass as ever.
 */
export function withGuardedAnswers(passing: Translation, surface: SurfaceCodec, provider: ProviderCodec): Translation {
  return {
    ...passing,
    prepare: (body, target, options) => {
      const passed = passing.prepare(body, target, options);
      if (!options.newGate && !options.continued) return passed;
      const answerReader = () => {
        const parsed = parseRequestJson(body);
        const request = emptyRequest(surface.name, target.stream);
        return translatedReader(
          surface,
          provider,
          { ...options, body: isRecord(parsed) ? parsed : {}, request },
          target,
        );
      };
      return { request: passed.request, answerReader };
    },
  };
}
