import { Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import { ownerOf } from '../callers/owner-of';
import type { CallerKey } from '@tollgate/contracts';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import type { Caller } from '../callers/authenticator';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import { streamHeaders } from '../generation/caller-response';
import { BackgroundStore } from './background/background-store';
import { BackgroundWorks } from './background/background-works';
import { EventStreams } from './background/event-streams';
import { readShape } from './conversation-shapes';
import { inputItems, responseQuery } from './kept-items';
import { jsonType } from './told-items';
import { ReadingMemory } from './reading-memory';
import { isKeptId, isWaiting, responseOf, restOf, waitingStatus } from './turn';
import type { Turn } from './turn';
import type { removedResponse } from './kept-items';
import { TurnStore } from './turn-store';

/** The items of a larger conversation are not taken apart here, where others wait. */
const mostListedBytes = 8_388_608;

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
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: { headers(all: Record<string, string>): unknown },
  ): Promise<string | Buffer | Readable> {
    const { stream, starting_after: after } = readShape(responseQuery, query);
    const text = await this.current(caller.key, id);
    if (stream !== 'true') {
      reply.headers({ 'content-type': jsonType });
      return text;
    }
    const events = await this.streams.resumed(caller, id, after ?? null);
    reply.headers(streamHeaders);
    return events;
  }

  /** https://platform.openai.com/docs/api-reference/responses/cancel */
  @Post(':id/cancel')
  @HttpCode(200)
  @Header('content-type', jsonType)
  async cancel(@Param('id') id: string, @CurrentCaller() { key }: Caller): Promise<string | Buffer> {
    const { isBackground, isMade } = await this.reading(key, id, true, ([turn]) => standing(turn));
    // In words that servers of this API share: https://github.com/vllm-project/vllm/issues/57999
    if (!isBackground) throw new GatewayError(400, 'Cannot cancel a synchronous response.');
    if (!isMade) await this.works.cancel(key.accountId, id);
    return this.current(key, id);
  }

  /** https://platform.openai.com/docs/api-reference/responses/input-items */
  @Get(':id/input_items')
  @Header('content-type', jsonType)
  async inputItems(
    @Param('id') id: string,
    @CurrentCaller() { key }: Caller,
    @Query() query: unknown,
  ): Promise<Buffer> {
    return this.reading(key, id, false, (turns) => inputItems(id, turns, query));
  }

  /** https://platform.openai.com/docs/api-reference/responses/delete */
  @Delete(':id')
  async remove(@Param('id') id: string, @CurrentCaller() { key }: Caller): Promise<z.infer<typeof removedResponse>> {
    if (!isKeptId(id) || !(await this.store.remove(key.accountId, id))) throw notFound(id);
    return { id, object: 'response', deleted: true };
  }

  /** A response as it stands now. */
  private async current(key: CallerKey, id: string): Promise<string | Buffer> {
    const found = await this.reading(key, id, true, ([turn]) => toldOf(turn));
    if (found.waiting === null) return found.text;
    const work = await this.background.find({ accountId: key.accountId, id });
    // It was finished in between; one that is not was left by an edge that ended while it began it.
    if (!work) return (await this.reading(key, id, true, ([turn]) => toldOf(turn))).text;
    const status = work.isCancelled ? 'cancelled' : work.isHeld ? 'in_progress' : waitingStatus;
    return JSON.stringify({ ...found.waiting, status });
  }

  /** What `use` makes of the turns of a response, which are gone then. */
  private async reading<Result>(
    key: CallerKey,
    id: string,
    alone: boolean,
    use: (turns: Turn[]) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.memory.reading(ownerOf(key), async (hold) => {
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

/** `waiting`: the response, where it is still being made; null: it is in its last form. */
async function toldOf(
  turn: Turn | undefined,
): Promise<{ text: string | Buffer; waiting: Record<string, unknown> | null }> {
  if (!turn) return { text: '', waiting: null };
  return { text: await responseOf(turn), waiting: isWaiting(turn) ? { ...restOf(turn), output: [] } : null };
}

function standing(turn: Turn | undefined): { isBackground: boolean; isMade: boolean } {
  const { background } = turn ? restOf(turn) : {};
  return { isBackground: background === true, isMade: turn !== undefined && !isWaiting(turn) };
}

function tooLargeToList(): GatewayError {
  return new GatewayError(413, `The conversation is larger than ${mostListedBytes} bytes, and is not listed.`);
}

/** In OpenAI's words. */
function notFound(id: string): GatewayError {
  return new GatewayError(404, `Response with id '${id}' not found.`);
}
