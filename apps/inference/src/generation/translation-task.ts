import { toFailureElsewhere, type DialectName, type FailureElsewhere, type SurfaceName } from '@tollgate/contracts';
import { compacting, translationFor, type TranslatedRequest, type UpstreamTarget } from '@tollgate/dialects';

/** A caller's body that a thread puts into a provider's dialect. */
export interface TranslationJob {
  readonly surface: SurfaceName;
  readonly provider: DialectName;
  /** It asks to have its conversation compacted. */
  readonly compacts: boolean;
  readonly body: Uint8Array;
  readonly target: UpstreamTarget;
}

export type TranslationAnswer =
  | { readonly translated: TranslatedRequest; readonly failure?: never }
  | { readonly failure: FailureElsewhere };

/** Does it, on a thread. */
export function translationOf({ surface, provider, compacts, body, target }: TranslationJob): TranslationAnswer {
  try {
    const translation = translationFor(surface, provider);
    const translated = (compacts && translation ? compacting(translation) : translation)?.translate?.(body, target);
    if (!translated) throw new Error(`nothing is translated from ${surface} to ${provider}`);
    return { translated };
  } catch (error) {
    return { failure: toFailureElsewhere(error) };
  }
}

/**
 * The memory that goes back with an answer, so that nothing is copied: what is small lies beside others' in
 * Node's pool, which is refused from Node 21 on.
 * https://nodejs.org/api/worker_threads.html#workermarkasuntransferableobject
 */
export function memoryOf(answer: TranslationAnswer): ArrayBuffer[] {
  const pieces = answer.failure ? [] : answer.translated.request.body;
  return pieces.flatMap(({ buffer, length }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : [],
  );
}
