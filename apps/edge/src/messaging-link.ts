import { Events } from 'nats';
import type { NatsConnection } from 'nats';

/** Whether this edge is connected to NATS now. */
export class MessagingLink {
  /** Called each time the connection is lost; may be replaced. */
  onLost: () => void = () => undefined;
  /** Called each time it is back. */
  onRestored: () => void = () => undefined;
  private up = true;

  constructor(readonly connection: NatsConnection) {
    void this.watch();
  }

  get isUp(): boolean {
    return this.up && !this.connection.isClosed();
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect) {
        this.up = false;
        this.onLost();
      } else if (type === Events.Reconnect) {
        this.up = true;
        this.onRestored();
      }
    }
    this.up = false;
  }
}
