import type { BrowserContextOptions } from 'playwright-core';

/** What a page may take, from the address to the finished page with an empty cache. */
interface Limits {
  /** Until the largest text or picture is painted, milliseconds. */
  paintMs: number;
  /** Everything that is fetched, the page itself included. */
  requests: number;
  /** The sum of all layout shifts, as https://web.dev/articles/cls defines one. */
  shift: number;
  /** The longest task of the page's thread, milliseconds. */
  taskMs: number;
}

/** A machine that people look with. `slowdown`: its processor beside this one; null: as fast as it goes. */
export interface Look {
  name: 'desktop' | 'phone';
  context: BrowserContextOptions;
  slowdown: { processor: number; roundTripMs: number; bytesPerSecond: number } | null;
  limits: Limits;
}

const shared = { requests: 15, shift: 0.05 };

/**
 * The phone is Lighthouse's slow one: 150 ms to the server and back, 1.6 Mbit/s, a quarter of this processor.
 * https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md
 */
export const looks: readonly Look[] = [
  {
    name: 'desktop',
    context: { viewport: { width: 1440, height: 900 } },
    slowdown: null,
    limits: { ...shared, paintMs: 1_000, taskMs: 200 },
  },
  {
    name: 'phone',
    context: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
    slowdown: { processor: 4, roundTripMs: 150, bytesPerSecond: 200_000 },
    limits: { ...shared, paintMs: 3_000, taskMs: 4 * 200 },
  },
];
