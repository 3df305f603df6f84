import type { GenerationRequest } from '@tollgate/contracts/inference';
import type { TranslatedRequest, Translation } from '@tollgate/dialects';
import type { Route } from '../routing/route-table';
import type { PooledKey } from '../upstream/provider-endpoint';
import { targetOf, wayOf } from './attempt-order';
import type { TranslationThreads } from './translation-threads';

/**
 * One translation of a body for a route and one of its provider's keys; `outcome`: or what was thrown over
 * it.
 */
interface Made {
  readonly body: Uint8Array;
  readonly route: Route;
  readonly key: PooledKey | null;
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
   * Resolves once the body is translated for a route, or cannot be. `key`: of its provider's, the one that is
   * asked; null: there is one. Null: there is nothing to wait for. Never rejects.
   */
  ready(route: Route, key: PooledKey | null, body: Uint8Array): Promise<void> | null {
    const compacts = this.request.kind === 'compact';
    const { translation } = (compacts ? null : wayOf(this.request, body, route)) ?? route;
    if (!translation.translate || this.isMade(route, key, translation, body)) return null;
    const { surface, provider } = translation;
    const job = { surface, provider, compacts, body: sharable(body), target: targetOf(this.request, route, key) };
    const keep = (outcome: Made['outcome']): void => void (this.made = { body, route, key, translation, outcome });
    return this.threads.translate(this.request, job).then(
      (translated) => keep({ translated }),
      (thrown: unknown) => keep({ thrown }),
    );
  }

  /** The key that the body was translated for at this route; null: none, or it was not translated. */
  keyAt(route: Route, body: Uint8Array): PooledKey | null {
    const { made } = this;
    return made?.body === body && made.route === route ? made.key : null;
  }

  /**
   * Undefined: it is translated where it is needed.
   * @throws what was thrown over it.
   */
  for(route: Route, key: PooledKey | null, translation: Translation, body: Uint8Array): TranslatedRequest | undefined {
    if (!this.made || !this.isMade(route, key, translation, body)) return undefined;
    const { outcome } = this.made;
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.translated;
  }

  private isMade(route: Route, key: PooledKey | null, translation: Translation, body: Uint8Array): boolean {
    const { made } = this;
    return made?.body === body && made.route === route && made.key === key && made.translation === translation;
  }
}

/**
 * A message copies all of the memory that its bytes lie in, but for what threads share: of the rest, which is
 * small, or came while too much was shared, only these bytes.
 */
function sharable(body: Uint8Array): Uint8Array {
  return body.buffer instanceof SharedArrayBuffer ? body : new Uint8Array(body);
}
