import type { CatalogSnapshot } from '@tollgate/contracts/catalog';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** A snapshot without its revision, and what is made of the rest. */
export type CatalogContent = Omit<CatalogSnapshot, 'revision' | 'digest'>;

/**
 * The snapshot that is told to others, and its revision. Revisions are taken from the clock (epoch
 * milliseconds), so that they grow across restarts, and are at least one more than the last, so that they
 * grow when the clock does not.
 */
export class PublishedCatalog {
  private content: CatalogContent;
  private revision: number;
  /** Null: nobody wanted it yet. */
  private contentDigest: string | null = null;

  constructor(content: CatalogContent, now: number) {
    this.content = content;
    this.revision = now;
  }

  get snapshot(): CatalogSnapshot {
    return { revision: this.revision, ...this.content };
  }

  /** Another one where anything of the content is another, also from one instance and release to the next. */
  get digest(): string {
    this.contentDigest ??= createHash('sha256').update(JSON.stringify(this.content)).digest('base64url');
    return this.contentDigest;
  }

  /** Takes a new content. Returns whether it differs from the last, and so has a new revision. */
  replace(content: CatalogContent, now: number): boolean {
    if (isDeepStrictEqual(content, this.content)) return false;
    this.content = content;
    this.contentDigest = null;
    this.revision = Math.max(now, this.revision + 1);
    return true;
  }

  /**
   * Hears the revision of another catalog instance. They all come to the same content, so the highest number
   * becomes everyone's; else listeners would be sent from one instance to the other for ever.
   */
  adopt(revision: number): void {
    this.revision = Math.max(this.revision, revision);
  }
}
