import { Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { ownerOf, type Caller } from '../callers/authenticator';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import type { CallersWait } from '../generation/caller-left';
import { streamHeaders } from '../generation/caller-response';
import { BackgroundStore } from './background/background-store';
import { BackgroundWorks } from './background/background-works';
import { EventStreams } from './background/event-streams';
import { readShape } from './conversation-shapes';
import { inputItems, responseQuery } from './kept-items';
import { jsonType } from './told-items';
import { ReadingMemory } from './reading-memory';
import { isKeptId, isWaiting, responseOf, restOf } from './turn';
import type { Turn } from './turn';
import type { removedResponse } from './kept-items';
import { TurnStore } from './turn-store';
import { Waits } from './waits';

/** The items of a larger conversation are not taken apart here, where others wait. */
const mostListedBytes = 8_388_608;

/** Who asks. */
interface Reader {
  readonly key: CallerKey;
  readonly waits: CallersWait;
}

/**
 * Kept responses of the account of the calling key. What another account has is not told apart from what is
 * not there.
 */
@Controller('v1/responses')
@UseGuards(KeyGuard, RequestLimitGuard)
export class ResponsesController {
  constructor(
    private readonly store: TurnStore,
    private readonly works: BackgroundWorks,
    private readonly background: BackgroundStore,
    private readonly streams: EventStreams,
    private readonly memory: ReadingMemory,
  ) {}

  /** https://platform.openai.com/docs/api-reference/responses/get */
  @Get(':id')
  async response(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Waits() waits: CallersWait,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: { headers(all: Record<string, string>): unknown },
  ): Promise<string | Buffer | Readable> {
    const { stream, starting_after: after } = readShape(responseQuery, query);
    const text = await this.current({ key: caller.key, waits }, id);
    if (stream !== 'true') {
      reply.headers({ 'content-type': jsonType });
      return text;
    }
    const events = await this.streams.resumed({ caller, waits }, id, after ?? null);
    reply.headers(streamHeaders);
    return events;
  }

  /** https://platform.openai.com/docs/api-reference/responses/cancel */
  @Post(':id/cancel')
  @HttpCode(200)
  @Header('content-type', jsonType)
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() { key }: Caller,
    @Waits() waits: CallersWait,
  ): Promise<string | Buffer> {
    if (isKeptId(id) && (await this.works.cancel(key.accountId, id))) return this.current({ key, waits }, id);
    const { text, isBackground } = await this.reading({ key, waits }, id, true, ([turn]) => toldOf(turn));
    // In words that servers of this API share: https://github.com/vllm-project/vllm/issues/57999
    if (!isBackground) throw new GatewayError(400, 'Cannot cancel a synchronous response.');
    return text;
  }

  /** https://platform.openai.com/docs/api-reference/responses/input-items */
  @Get(':id/input_items')
  @Header('content-type', jsonType)
  async inputItems(
    @Param('id') id: string,
    @CurrentCaller() { key }: Caller,
    @Waits() waits: CallersWait,
    @Query() query: unknown,
  ): Promise<Buffer> {
    return this.memory.told(await this.reading({ key, waits }, id, false, (turns) => inputItems(id, turns, query)));
  }

  /** https://platform.openai.com/docs/api-reference/responses/delete */
  @Delete(':id')
  async remove(@Param('id') id: string, @CurrentCaller() { key }: Caller): Promise<z.infer<typeof removedResponse>> {
    if (!isKeptId(id) || !(await this.store.remove(key.accountId, id))) throw notFound(id);
    return { id, object: 'response', deleted: true };
  }

  /** A response as it stands now; of one that is still being made nothing large is read. */
  private async current(reader: Reader, id: string): Promise<string | Buffer> {
    const { key, waits } = reader;
    const named = { accountId: key.accountId, id };
    const standing = isKeptId(id)
      ? await this.memory.reading({ owner: ownerOf(key), waits }, (hold) => this.background.standing(named, hold))
      : null;
    if (standing?.response) return JSON.stringify({ ...standing.response, status: standing.status });
    const found = await this.reading(reader, id, true, ([turn]) => toldOf(turn));
    // One that nobody works on was left by an edge that ended while it began it.
    if (!standing || !found.waiting) return Buffer.isBuffer(found.text) ? this.memory.told(found.text) : found.text;
    return JSON.stringify({ ...found.waiting, status: standing.status });
  }

  /** What `use` makes of the turns of a response, which are gone then. */
  private async reading<Result>(
    { key, waits }: Reader,
    id: string,
    alone: boolean,
    use: (turns: Turn[]) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.memory.reading({ owner: ownerOf(key), waits }, async (hold) => {
      const onSize = (size: number) => {
        if (!alone && size > mostListedBytes) throw tooLargeToList();
        return hold(size);
      };
      const found = isKeptId(id) ? await this.store.read({ accountId: key.accountId, id, alone, onSize }) : null;
      if (!found) throw notFound(id);
      const used = await use(found.turns);
      for (const { input } of found.turns) this.memory.free(input);
      return used;
    });
  }
}

/**
 * `waiting`: the response, where it is still being made; null: it is in its last form. `isBackground`:
 * nobody waited for it.
 */
async function toldOf(
  turn: Turn | undefined,
): Promise<{ text: string | Buffer; waiting: Record<string, unknown> | null; isBackground: boolean }> {
  if (!turn) return { text: '', waiting: null, isBackground: false };
  const rest = restOf(turn);
  const waiting = isWaiting(turn) ? { ...rest, output: [] } : null;
  return { text: await responseOf(turn), waiting, isBackground: rest.background === true };
}

function tooLargeToList(): GatewayError {
  return new GatewayError(413, `The conversation is larger than ${mostListedBytes} bytes, and is not listed.`);
}

/** In OpenAI's words. */
function notFound(id: string): GatewayError {
  return new GatewayError(404, `Response with id '${id}' not found.`);
}
