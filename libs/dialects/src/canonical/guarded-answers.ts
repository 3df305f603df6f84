import type { Translation, UpstreamTarget } from '../provider-dialect';
import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import type { ProviderCodec, SurfaceCodec } from './codec';
import { emptyRequest } from './pass-through';
import { translatedReader } from './translate';
import { membersNamed } from '../wire/json-walk';

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

/** How the surfaces name the limit of an answer. */
const limitNames = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/**
 * A translation that asks for a stream where its caller wants an answer in one piece, and the provider gives
 * none that may be so long. The readers of whole answers gather a stream, since its first byte tells them
 * what an answer is.
 */
export function withGatheredAnswers(translation: Translation): Translation {
  const translate = translation.translate?.bind(translation);
  return {
    ...translation,
    prepare: (body, target, options) => {
      const prepared = translation.prepare(body, target, options);
      // A thread has done so before it translated.
      if (options.translated || !isTooLong(body, target)) return prepared;
      const { request } = translation.prepare(body, { ...target, stream: true }, options);
      return { ...prepared, request };
    },
    ...(translate && {
      translate: (body, target) => {
        const translated = translate(body, target);
        if (!isTooLong(body, target)) return translated;
        return { ...translated, request: translate(body, { ...target, stream: true }).request };
      },
    }),
  };
}

function isTooLong(body: Uint8Array, { stream, provider }: UpstreamTarget): boolean {
  const most = provider.quirks.mostUnstreamed;
  if (stream || most === null) return false;
  const limits = [...membersNamed(body, limitNames).values()];
  return limits.some((limit) => Number(Buffer.from(limit).toString()) > most);
}
