import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { hasOwnMemory, ThreadsByOwner } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { join } from 'node:path';
import { notDecompressed, tooLarge } from './body-encoding';
import { toBuffer } from './body-task';
import { notReadable } from './body-threads';
import type { BodyRoom, HeldBody } from './held-body';
import { zstdBounds } from './zstd-bounds';

/** Frames of zstd, which hold no more than `most` bytes, 1 at the least. */
export interface ZstdJob {
  readonly bytes: Uint8Array;
  readonly most: number;
}

/**
 * Decompresses bodies of zstd where Node cannot, before 22.15: as a whole, on threads, by zstd itself in
 * WebAssembly. How much memory that takes is known, and held, before any of it is decompressed.
 */
@Injectable()
export class ZstdThreads implements OnApplicationShutdown {
  private readonly threads: ThreadsByOwner<ZstdJob, Uint8Array>;

  constructor(@Inject(LOGGER) logger: Logger) {
    this.threads = new ThreadsByOwner<ZstdJob, Uint8Array>(
      join(__dirname, 'zstd.worker'),
      ({ bytes: { buffer } }) => (buffer instanceof ArrayBuffer ? [buffer] : []),
      notReadable,
      logger,
    );
  }

  /**
   * Puts what a body holds that came compressed into its place.
   * @throws GatewayError 400 for what is no whole zstd, 413 for more than `limit` bytes, 503 when it waited
   * for memory in vain, or its thread ended over it; CallerLeft.
   */
  async decompress(body: HeldBody, { limit, owner }: Pick<BodyRoom, 'limit' | 'owner'>): Promise<void> {
    const came = body.bytes;
    const { least, most } = zstdBounds(came);
    if (least > limit) throw tooLarge(limit);
    const room = Math.max(1, Math.min(most, limit));
    await body.more(room);
    body.leave();
    const job = () => ({ bytes: hasOwnMemory(came) ? came : new Uint8Array(came), most: room });
    const decoded = toBuffer(await this.threads.do(owner, job));
    if (decoded.length === 0 && most > 0) throw most > limit ? tooLarge(limit) : notDecompressed();
    body.become(decoded);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}
