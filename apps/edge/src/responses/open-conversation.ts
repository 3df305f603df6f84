import { conversationLeaseMs } from '@tollgate/contracts/metering';
import type { NewItem } from './conversation-item';

/** What a conversation that somebody adds to works with. */
export interface OpenConversationParts {
  /** Has it for itself for longer. Never rejects. */
  renew(): Promise<void>;
  add(items: readonly NewItem[]): Promise<void>;
  /** Gives it back. Never rejects. */
  unlock(): Promise<void>;
}

/** A conversation that one request has for itself, until it added its items or was released. */
export class OpenConversation {
  private readonly renewal: NodeJS.Timeout;
  private isOver = false;

  constructor(private readonly parts: OpenConversationParts) {
    this.renewal = setInterval(() => void parts.renew(), conversationLeaseMs / 3).unref();
  }

  /**
   * Adds items behind those that are there, and gives it back.
   * @throws ControlError where it cannot be added to.
   */
  async add(items: readonly NewItem[]): Promise<void> {
    await this.parts.add(items);
    this.end();
  }

  /** Gives it back as it was. Later calls do nothing. */
  release(): void {
    if (this.isOver) return;
    this.end();
    void this.parts.unlock();
  }

  private end(): void {
    this.isOver = true;
    clearInterval(this.renewal);
  }
}
