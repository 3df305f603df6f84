import { Injectable } from '@nestjs/common';
import { ControlError, GatewayError } from '@tollgate/contracts';
import { backgroundOperations, backgroundRequestId, backgroundStandingId } from '@tollgate/contracts/metering';
import type { BackgroundWorkRecord, TakenWork } from '@tollgate/contracts/metering';
import { ControlClient, NatsGenerationClient } from '@tollgate/messaging';
import { z } from 'zod';
import { keptAnswer } from '../kept-message';
import { restOf, waitingStatus } from '../turn';
import { TurnStore } from '../turn-store';

const timeoutMs = 2_000;
const retryS = 2;
/** So many are taken over at once; the others wait for the next time, or for another edge. */
const mostTaken = 4;
const none = Buffer.from('[]');

/**
 * What is kept of a request so that another edge can make it again, beside its body and what was new in it.
 * `digest`: of the key. `path`: where it was asked.
 */
const requestFacts = z.object({
  digest: z.string(),
  headers: z.record(z.string(), z.string()),
  previous: z.object({ id: z.string(), bornAt: z.number() }).nullable(),
  conversationId: z.string().nullable(),
  isStream: z.boolean().default(false),
});

/**
 * A request as it is kept. `body`: as it goes on, with the conversation before it. `input`: what was new in
 * it.
 */
export interface KeptRequest extends z.infer<typeof requestFacts> {
  readonly body: Buffer;
  readonly input: Buffer;
}

type Named = Pick<BackgroundWorkRecord, 'accountId' | 'id'>;

/** See `standing`. `status`: what it is told with. */
interface Standing {
  readonly status: string;
  readonly response: Record<string, unknown> | null;
}

/** Responses in the background, at metering: who works on them, and what they are made from. */
@Injectable()
export class BackgroundStore {
  constructor(
    private readonly control: ControlClient,
    private readonly turns: TurnStore,
    private readonly client: NatsGenerationClient,
  ) {}

  /**
   * From here on this edge works on it, or another one that finds that this one does not.
   * @throws GatewayError 403, 503 where it cannot be kept.
   */
  async begin(record: BackgroundWorkRecord, request: KeptRequest, waiting: Record<string, unknown>): Promise<void> {
    const { accountId, keyId, id, bornAt } = record;
    const { body, input, previous, ...facts } = request;
    const { output: _, ...rest } = waiting;
    const kept = { accountId, keyId, bornAt, itemIds: [] };
    try {
      const told = { input: body, output: input, rest: json({ ...facts, previous }) };
      const alone = { input: none, output: none, rest: json(rest) };
      await this.turns.keep({ ...kept, id: backgroundRequestId(id), previous: null, turn: told });
      await this.turns.keep({ ...kept, id: backgroundStandingId(id), previous: null, turn: alone });
      await this.turns.keep({ ...kept, id, previous, turn: { input, output: none, rest: json(rest) } });
      await this.control.call(backgroundOperations.begin, { ...record, holder: this.holder }, { timeoutMs });
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Null: it is not there any more. @throws GatewayError 503 while it cannot be read. */
  async request({ accountId, id }: Named): Promise<KeptRequest | null> {
    const found = await this.turns.read({ accountId, id: backgroundRequestId(id), alone: true });
    const [turn] = found?.turns ?? [];
    if (!turn) return null;
    const facts = requestFacts.parse(JSON.parse(Buffer.from(turn.rest).toString('utf8')));
    return { ...facts, body: Buffer.from(turn.input), input: Buffer.from(turn.output) };
  }

  /**
   * How it stands with one that is not finished; `response`: as it is told until something has come of it,
   * null where that is not kept by itself. Null: it is finished, was removed, or never was. `onSize`: as
   * `TurnStore.read` has it.
   * @throws GatewayError 503 while it cannot be read; what `onSize` throws.
   */
  async standing({ accountId, id }: Named, onSize: (bytes: number) => Promise<void>): Promise<Standing | null> {
    const standing = { accountId, id: backgroundStandingId(id), alone: true, onSize };
    const [work, found] = await Promise.all([this.find({ accountId, id }), this.turns.read(standing)]);
    if (!work) return null;
    const status = work.isCancelled ? 'cancelled' : work.isHeld ? 'in_progress' : waitingStatus;
    const [turn] = found?.turns ?? [];
    return { status, response: turn ? { ...restOf(turn), output: [] } : null };
  }

  /**
   * Those that this edge still has, and whether their callers still want them.
   * @throws ControlError while nobody can say.
   */
  async renew(works: readonly Named[]): Promise<(Named & { isCancelled: boolean })[]> {
    const asked = { holder: this.holder, works: works.map(({ accountId, id }) => ({ accountId, id })) };
    return (await this.control.call(backgroundOperations.renew, asked, { timeoutMs })).works;
  }

  /** Work that another edge left behind. @throws ControlError while nobody can say. */
  async take(): Promise<TakenWork[]> {
    const asked = { holder: this.holder, most: mostTaken };
    return (await this.control.call(backgroundOperations.take, asked, { timeoutMs })).works;
  }

  /** Null: it is finished, or was removed. @throws GatewayError 503 while it cannot be read. */
  find({ accountId, id }: Named): Promise<{ isHeld: boolean; isCancelled: boolean } | null> {
    return keptAnswer(() => this.control.call(backgroundOperations.find, { accountId, id }, { timeoutMs }));
  }

  /** False: it is finished, or was removed. @throws GatewayError 503 as `find`. */
  async cancel({ accountId, id }: Named): Promise<boolean> {
    const cancel = () => this.control.call(backgroundOperations.cancel, { accountId, id }, { timeoutMs });
    return (await keptAnswer(cancel)) !== null;
  }

  /** Another edge may take it at once. Never rejects: else its lease runs out. */
  async release({ accountId, id }: Named): Promise<void> {
    const released = { accountId, id, holder: this.holder };
    await this.control.call(backgroundOperations.release, released, { timeoutMs }).catch(() => undefined);
  }

  /** @throws ControlError where it cannot be said. */
  async finish({ accountId, id }: Named): Promise<void> {
    await this.control.call(backgroundOperations.finish, { accountId, id, holder: this.holder }, { timeoutMs });
  }

  private get holder(): string {
    return this.client.edgeId;
  }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof ControlError)) return error;
  if (error.code === 'forbidden')
    return new GatewayError(403, `${error.message} Remove responses, or wait until they are 30 days old.`).because(
      'storage_limit_exceeded',
    );
  if (error.code === 'not_found')
    return new GatewayError(400, 'The response that this one goes on from was removed a moment ago.').because(
      'previous_response_not_found',
      {
        param: 'previous_response_id',
      },
    );
  return new GatewayError(
    503,
    'Responses in the background cannot be begun at the moment, since they cannot be kept; requests that wait for their answer are served. Try again shortly.',
    retryS,
  );
}
