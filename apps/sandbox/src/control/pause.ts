import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const flushPollMs = 5;
const flushPatienceMs = 2_000;

/**
 * While the sandbox pauses nothing is written and no new request is booked, so that a test can kill a process
 * with nothing on the wire.
 */
@Injectable()
export class Pause {
  private readonly writing = new Set<ServerResponse>();
  private held = false;
  private released: Promise<void> = Promise.resolve();
  private release: () => void = () => undefined;

  get isHeld(): boolean {
    return this.held;
  }

  /**
   * Resolves when nothing that was written before still waits in this process (peers that do not read are
   * given 2 s).
   */
  async hold(): Promise<void> {
    if (!this.held) {
      this.held = true;
      this.released = new Promise((resolve) => (this.release = resolve));
    }
    const giveUpAt = Date.now() + flushPatienceMs;
    while (Date.now() < giveUpAt && [...this.writing].some((response) => response.writableLength > 0))
      await sleep(flushPollMs);
  }

  resume(): void {
    this.held = false;
    this.release();
  }

  /** Resolves at once unless it pauses. */
  async free(): Promise<void> {
    while (this.held) await this.released;
  }

  /** Watches a response's unsent bytes until it closes. */
  watch(response: ServerResponse): void {
    this.writing.add(response);
    response.once('close', () => this.writing.delete(response));
  }
}
