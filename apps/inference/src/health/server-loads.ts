import { z } from 'zod';
import { askServer } from '../discovery/ask-server';
import { besideV1, type ProviderEndpoint } from '../upstream/provider-endpoint';
import type { HealthPlace, OwnLoad } from './attempt-gate';

/** Asked so often while its model is in use, and so long after it was. */
const everyMs = 1_000;
const inUseMs = 60_000;
/** What was told longer ago counts no more. */
const freshMs = 5_000;
/**
 * A server that tells nothing is asked so often; one that was only late, as busy servers are, or away,
 * sooner.
 */
const againMs = 60_000;
const lateMs = 5_000;
const timeoutMs = 900;

interface Known {
  place: HealthPlace;
  ours: () => OwnLoad;
  usedAt: number;
  askAt: number;
  isAsked: boolean;
  /**
   * How many requests of others the server had when it told its load last. Null: it told nothing yet, or
   * nothing of use.
   */
  told: { others: number; at: number } | null;
}

/**
 * How busy servers are that share a model, by what they tell of themselves: other gateways and people may
 * send them requests, too. Each is asked every second, only while its model is in use. Times are milliseconds
 * of a clock that never goes back.
 */
export class ServerLoads {
  /** By deployment. */
  private readonly known = new Map<string, Known>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly ask: typeof askServer = askServer,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * How many requests are under way or wait there: `ours` now, and those of others by what the server told
   * last, where it tells anything.
   */
  loadOf(place: HealthPlace, ours: () => OwnLoad): number {
    const { inFlight, waiting } = ours();
    const count = inFlight + waiting;
    if (place.endpoint.provider.loadMetrics.length === 0) return count;
    const usedAt = this.now();
    const known = this.known.get(place.deployment.id) ?? { askAt: 0, isAsked: false, told: null };
    this.known.set(place.deployment.id, Object.assign(known, { place, ours, usedAt }));
    this.timer ??= setInterval(() => void this.look(), everyMs).unref();
    const { told } = known;
    return told && usedAt - told.at < freshMs ? count + told.others : count;
  }

  /** Asks each server that is due. Resolves when all have answered; never rejects. */
  async look(): Promise<void> {
    const now = this.now();
    for (const [id, { usedAt }] of this.known) if (now - usedAt > inUseMs) this.known.delete(id);
    if (this.known.size === 0 && this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    }
    const due = [...this.known.values()].filter(({ askAt, isAsked }) => !isAsked && askAt <= now);
    await Promise.all(due.map((known) => this.lookAt(known)));
  }

  private async lookAt(known: Known): Promise<void> {
    const { endpoint } = known.place;
    known.isAsked = true;
    const before = known.ours().inFlight;
    const load = await this.loadToldBy(endpoint);
    const now = this.now();
    known.isAsked = false;
    known.askAt = now + lateMs;
    if (load === undefined) return;
    known.askAt = load === null ? now + againMs : now;
    // What began or ended while it was asked may be in its sum or not: others are not to be overlooked for
    // it.
    const ours = Math.min(before, known.ours().inFlight);
    known.told = load === null ? null : { others: Math.max(0, load - ours), at: now };
  }

  /**
   * How many requests a server says that it has. Null: it tells nothing of use; undefined: it did not answer
   * in time.
   */
  private async loadToldBy(endpoint: ProviderEndpoint): Promise<number | null | undefined> {
    const { loadMetrics, loadSlots } = endpoint.provider;
    const metrics = { path: '/metrics', read: (text: string) => sumOf(text, loadMetrics) };
    for (const { path, read } of loadSlots ? [metrics, slots] : [metrics]) {
      const page = await this.ask(besideV1(endpoint), path, timeoutMs).catch(() => null);
      if (!page) return undefined;
      const load = page.status === 200 ? read(page.text) : null;
      if (load !== null) return load;
    }
    return null;
  }
}

/**
 * What llama.cpp lists without `--metrics`: its places, not who waits for one.
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
const slots = { path: '/slots', read: busyOf };
const slotList = z.array(z.object({ is_processing: z.boolean() })).min(1);

/** How many places are busy; null where it is no list of places. */
function busyOf(text: string): number | null {
  try {
    const list = slotList.safeParse(JSON.parse(text));
    return list.success ? list.data.filter(({ is_processing: isBusy }) => isBusy).length : null;
  } catch {
    return null;
  }
}

/**
 * The sum of all samples of these gauges; null where there is none of them, or no finite one.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
function sumOf(text: string, names: readonly string[]): number | null {
  const samples = text.split('\n').flatMap((line) => {
    const [, name = '', value] = /^([\w:]+)(?:\{.*\})? (\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: |\r?$)/i.exec(line) ?? [];
    return names.includes(name) ? [Number(value)] : [];
  });
  const sum = samples.reduce((all, value) => all + value, 0);
  return samples.length > 0 && Number.isFinite(sum) ? sum : null;
}
