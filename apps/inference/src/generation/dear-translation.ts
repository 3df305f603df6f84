import type { GenerationRequest } from '@tollgate/contracts';
import { isDear, type TranslatedRequest, type Translation } from '@tollgate/dialects';
import type { Route } from '../routing/route-table';
import { targetOf, wayOf } from './attempt-order';
import type { TranslationThreads } from './translation-threads';

/** One translation of a body for a route; `outcome`: or what was thrown over it. */
interface Made {
  readonly body: Uint8Array;
  readonly route: Route;
  readonly translation: Translation;
  readonly outcome: { readonly translated: TranslatedRequest } | { readonly thrown: unknown };
}

/**
 * The translation of one call's large request, made on a thread: the last one alone, as it holds as much
 * memory as the request.
 */
export class DearTranslation {
  private made: Made | null = null;

  constructor(
    private readonly request: GenerationRequest,
    private readonly threads: TranslationThreads,
  ) {}

  /**
   * Resolves once the body is translated for a route, or cannot be. Null: there is nothing to wait for. Never
   * rejects.
   */
  ready(route: Route, body: Uint8Array): Promise<void> | null {
    if (this.request.kind === 'compact' || !isDear(body)) return null;
    const { translation } = wayOf(this.request, body, route) ?? route;
    if (!translation.translate || this.isMade(route, translation, body)) return null;
    const { surface, provider } = translation;
    const job = { surface, provider, body: sharable(body), target: targetOf(this.request, route) };
    const keep = (outcome: Made['outcome']): void => void (this.made = { body, route, translation, outcome });
    return this.threads.translate(this.request.keyId, job).then(
      (translated) => keep({ translated }),
      (thrown: unknown) => keep({ thrown }),
    );
  }

  /**
   * Undefined: it is translated where it is needed.
   * @throws what was thrown over it.
   */
  for(route: Route, translation: Translation, body: Uint8Array): TranslatedRequest | undefined {
    if (!this.made || !this.isMade(route, translation, body)) return undefined;
    const { outcome } = this.made;
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.translated;
  }

  private isMade(route: Route, translation: Translation, body: Uint8Array): boolean {
    const { made } = this;
    return made?.body === body && made.route === route && made.translation === translation;
  }
}

/**
 * A message copies all of the memory that its bytes lie in, but for what threads share: of the rest, which is
 * small, only these bytes.
 */
function sharable(body: Uint8Array): Uint8Array {
  return body.buffer instanceof SharedArrayBuffer ? body : new Uint8Array(body);
}
