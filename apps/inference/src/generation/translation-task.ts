import { toFailureElsewhere, type DialectName, type FailureElsewhere, type SurfaceName } from '@tollgate/contracts';
import { translationFor, type TranslatedRequest, type UpstreamTarget } from '@tollgate/dialects';

/** A caller's body that a thread puts into a provider's dialect. */
export interface TranslationJob {
  readonly surface: SurfaceName;
  readonly provider: DialectName;
  readonly body: Uint8Array;
  readonly target: UpstreamTarget;
}

export type TranslationAnswer =
  | { readonly translated: TranslatedRequest; readonly failure?: never }
  | { readonly failure: FailureElsewhere };

/** Does it, on a thread. */
export function translationOf({ surface, provider, body, target }: TranslationJob): TranslationAnswer {
  try {
    const translated = translationFor(surface, provider)?.translate?.(body, target);
    if (!translated) throw new Error(`nothing is translated from ${surface} to ${provider}`);
    return { translated };
  } catch (error) {
    return { failure: toFailureElsewhere(error) };
  }
}

/** The memory that goes back with an answer, so that nothing is copied. */
export function memoryOf(answer: TranslationAnswer): ArrayBuffer[] {
  const buffer = answer.failure ? null : answer.translated.request.body.buffer;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
