import type { Logger } from '@tollgate/observability';
import type { HopSettings } from '../hop-settings';
import type { TickClock } from '../ticker';
import type { SendingHost } from './content-sender';
import type { EdgeStream } from './edge-stream';
import type { InstanceDirectory } from './instance-directory';

/** The instance that has a stream, and under which of the stream's ids. */
export interface StreamWinner {
  instance: string;
  id: number;
}

/**
 * What a stream needs of its client. `publishRequest` sends to a subject and hears under the stream's id when
 * nobody listens there.
 */
export interface EdgeStreamHost extends SendingHost {
  readonly edgeId: string;
  readonly settings: HopSettings;
  readonly ticker: TickClock;
  readonly instances: InstanceDirectory;
  readonly logger: Logger;
  readonly isConnected: boolean;
  /** How long a new request may wait for the connection; 0: it was lost too long ago. Milliseconds. */
  readonly linkPatienceMs: number;
  /** A server that says nothing is left for another one soon. */
  readonly hasOtherServers: boolean;
  /** A new id that leads to this stream. */
  register(stream: EdgeStream): number;
  /**
   * `winner`: who had the stream, after more than one was asked for it; whoever else accepts it later comes
   * too late. Null: nobody, or only one was asked.
   */
  release(id: number, winner: StreamWinner | null): void;
  publishRequest(subject: string, envelope: Buffer, id: number): void;
  /** Resolves when NATS has everything that was published before; it may never, or reject. */
  delivered(): Promise<void>;
}
