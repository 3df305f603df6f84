import { usageEvent, usageStream, type UsageEvent } from '@tollgate/contracts';
import { catalogOperations, type CatalogSnapshot } from '@tollgate/contracts/catalog';
import type { GenerationAttempt, GenerationFailure, GenerationHead } from '@tollgate/contracts/inference';
import {
  ensureUsageStreams,
  NatsGenerationClient,
  type GenerationHandle,
  type GenerationListener,
} from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { Service } from '@tollgate/service';
import { freePort } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { z } from 'zod';
import { inference } from '../inference.module';
import { InferenceSettings } from '../settings';
import { aBody, aRequest } from './fixtures';

const logger = createLogger('test', 'silent');

/** Catalog's part of the conversation: answers with `snapshot`, whatever it is at the time. */
export class FakeCatalog {
  asked = 0;

  constructor(
    connection: NatsConnection,
    public snapshot: CatalogSnapshot,
  ) {
    connection.subscribe(catalogOperations.snapshot.subject, {
      callback: (_error, message) => {
        this.asked += 1;
        const { id } = message.json<{ id: string }>();
        message.respond(JSON.stringify({ id, response: this.snapshot, isDisposed: true }));
      },
    });
  }
}

/** All events that JetStream stores from now on: it repeats each message that it stored, once. */
export async function collectUsage(connection: NatsConnection): Promise<UsageEvent[]> {
  const events: UsageEvent[] = [];
  await ensureUsageStreams(connection, logger);
  connection.subscribe(usageStream.keptSubject, {
    callback: (_error, message) => events.push(...z.array(usageEvent).parse(message.json())),
  });
  await connection.flush();
  return events;
}

/** Edge's part: what was heard of one generation. */
export class HeardAnswer implements GenerationListener {
  readonly attempts: GenerationAttempt[] = [];
  head: GenerationHead | null = null;
  text = '';
  ended = false;
  failure: GenerationFailure | null = null;
  handle: GenerationHandle | null = null;
  /** Resolves with whether inference accounts for the usage. */
  readonly settled: Promise<boolean>;
  onText: () => void = () => undefined;
  private settle: (accounted: boolean) => void = () => undefined;

  constructor() {
    this.settled = new Promise((resolve) => (this.settle = resolve));
  }

  onAttempt(attempt: GenerationAttempt): void {
    this.attempts.push(attempt);
  }

  onHead(head: GenerationHead): void {
    this.head = head;
  }

  onData(bytes: Uint8Array): void {
    this.text += Buffer.from(bytes).toString();
    this.handle?.consumed(bytes.length);
    this.onText();
  }

  onEnd(): void {
    this.ended = true;
  }

  onFail(failure: GenerationFailure): void {
    this.failure = failure;
  }

  onSettled(accounted: boolean): void {
    this.settle(accounted);
  }
}

/** Sends a generation as an edge does. */
export function ask(client: NatsGenerationClient, eventId: string, stream = false): HeardAnswer {
  const answer = new HeardAnswer();
  answer.handle = client.open(aRequest({ requestId: eventId, eventId, stream }), aBody(stream), answer);
  return answer;
}

/** A whole inference service in this process, on free ports. */
export interface RunningInstance {
  internalUrl: string;
  started: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service. `started` resolves when it accepts requests. */
export async function runInstance(natsUrl: string, environment: NodeJS.ProcessEnv = {}): Promise<RunningInstance> {
  const port = await freePort();
  const variables = { NATS_URL: natsUrl, INTERNAL_PORT: String(port), LOG_LEVEL: 'silent', ...environment };
  const service = new Service(inference, new InferenceSettings(variables));
  return {
    internalUrl: `http://127.0.0.1:${port}`,
    started: service.start().then(() => undefined),
    stop: () => service.stop(),
  };
}
