import { catalogSubjects, type InferenceAnnouncement } from '@tollgate/contracts';
import { publishJson } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';

const everyMs = 5_000;

/** Tells catalog which providers this instance can reach, and what they list: every five seconds, and at once when that changed. Never the keys. */
export class Announcer {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly instance: string,
    private readonly reachable: () => Omit<InferenceAnnouncement, 'instance'>,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => this.tell(), everyMs);
    this.tell();
  }

  /** Tells at once, if it was started. */
  changed(): void {
    if (this.timer) this.tell();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tell(): void {
    const announcement: InferenceAnnouncement = { instance: this.instance, ...this.reachable() };
    publishJson(this.connection, catalogSubjects.inferenceAnnouncement, announcement);
  }
}
