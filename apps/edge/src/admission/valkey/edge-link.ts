import type { NatsConnection } from 'nats';
import {
  edgeLimitsLoan,
  edgeLimitsNotice,
  edgeLimitsSubjects,
  type EdgeLimitsLoan,
  type EdgeLimitsNotice,
} from '@tollgate/contracts/edge';
import { publishJson, subscribeJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';

/** An edge that knows nothing of a loan by then refuses it, milliseconds. */
const loanTimeoutMs = 250;

/** How the edges that share their limits reach one another. */
export interface EdgeLink {
  /** Tells all edges, this one included. */
  tell(notice: EdgeLimitsNotice): void;
  /** Asks one edge for a unit of its share. Null: it does not answer. */
  borrow(edgeId: string, keyId: string, limit: number): Promise<EdgeLimitsLoan | null>;
}

/** What hears of the other edges. */
export interface EdgeLinkListener {
  hear(notice: EdgeLimitsNotice): void;
  lend(keyId: string, limit: number): Promise<EdgeLimitsLoan>;
}

export function natsEdgeLink(connection: NatsConnection): EdgeLink {
  return {
    tell: (notice) => publishJson(connection, edgeLimitsSubjects.notice, notice),
    borrow: async (edgeId, keyId, limit) => {
      const options = { timeout: loanTimeoutMs };
      const question = JSON.stringify({ keyId, limit });
      try {
        const message = await connection.request(edgeLimitsSubjects.loan(edgeId), question, options);
        return edgeLimitsLoan.reply.parse(message.json());
      } catch {
        return null;
      }
    },
  };
}

/** Hears notices, and answers those who ask for a loan. */
export function listenToEdges(
  connection: NatsConnection,
  edgeId: string,
  listener: EdgeLinkListener,
  logger: Logger,
): void {
  subscribeJson(connection, edgeLimitsSubjects.notice, edgeLimitsNotice, (notice) => listener.hear(notice), logger);
  const answer = async (question: unknown): Promise<string> => {
    const { keyId, limit } = edgeLimitsLoan.request.parse(question);
    return JSON.stringify(await listener.lend(keyId, limit));
  };
  connection.subscribe(edgeLimitsSubjects.loan(edgeId), {
    callback: (error, message) => {
      if (error) logger.error({ err: error }, 'the subscription for loans failed');
      else
        void Promise.resolve()
          .then(() => answer(message.json()))
          .then((reply) => message.respond(reply))
          .catch((thrown: unknown) => logger.error({ err: thrown }, 'a loan could not be answered'));
    },
  });
}

/** Hears of what the agreement of edges changes for refusals that are remembered. */
export interface AgreementListener {
  changed(): void;
  gaveBack(keyId: string): void;
  /**
   * Puts into Valkey what this edge took without it, of limits that the agreement does not count.
   * @throws Error when Valkey does not answer in time.
   */
  joining(): Promise<void>;
}
