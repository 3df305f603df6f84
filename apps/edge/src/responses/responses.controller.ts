import { Controller, Delete, Get, Header, Param, Query, UseGuards } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts';
import type { z } from 'zod';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import type { Caller } from '../callers/authenticator';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import { inputItems } from './kept-items';
import { ReadingMemory } from './reading-memory';
import { isKeptId, responseOf } from './turn';
import type { Turn } from './turn';
import type { inputItemList, removedResponse } from './kept-items';
import { TurnStore } from './turn-store';

/** The items of a larger conversation are not taken apart here, where others wait. */
const mostListedBytes = 8_388_608;
/** Kept responses of the account of the calling key. What another account has is not told apart from what is not there. */
@Controller('v1/responses')
@UseGuards(KeyGuard, RequestLimitGuard)
export class ResponsesController {
  constructor(
    private readonly store: TurnStore,
    private readonly memory: ReadingMemory,
  ) {}

  /** https://platform.openai.com/docs/api-reference/responses/get */
  @Get(':id')
  @Header('content-type', 'application/json; charset=utf-8')
  async response(@Param('id') id: string, @CurrentCaller() { key }: Caller, @Query() query: unknown): Promise<string> {
    if (typeof query === 'object' && query !== null && 'stream' in query && query.stream === 'true')
      throw new GatewayError(400, 'stream: only a response in the background can be streamed again');
    return this.reading(key, id, true, ([turn]) => (turn ? responseOf(turn) : ''));
  }

  /** https://platform.openai.com/docs/api-reference/responses/input-items */
  @Get(':id/input_items')
  async inputItems(
    @Param('id') id: string,
    @CurrentCaller() { key }: Caller,
    @Query() query: unknown,
  ): Promise<z.infer<typeof inputItemList>> {
    return this.reading(key, id, false, (turns) => inputItems(id, turns, query));
  }

  /** https://platform.openai.com/docs/api-reference/responses/delete */
  @Delete(':id')
  async remove(@Param('id') id: string, @CurrentCaller() { key }: Caller): Promise<z.infer<typeof removedResponse>> {
    if (!isKeptId(id) || !(await this.store.remove(key.accountId, id))) throw notFound(id);
    return { id, object: 'response', deleted: true };
  }

  /** What `use` makes of the turns of a response. */
  private async reading<Result>(
    { id: keyId, accountId }: CallerKey,
    id: string,
    alone: boolean,
    use: (turns: Turn[]) => Result,
  ): Promise<Result> {
    return this.memory.reading(keyId, async (hold) => {
      const onSize = (size: number) => {
        if (!alone && size > mostListedBytes) throw tooLargeToList();
        return hold(size);
      };
      const found = isKeptId(id) ? await this.store.read({ accountId, id, alone, onSize }) : null;
      if (!found) throw notFound(id);
      return use(found.turns);
    });
  }
}

function tooLargeToList(): GatewayError {
  return new GatewayError(413, `The conversation is larger than ${mostListedBytes} bytes, and is not listed.`);
}

/** In OpenAI's words. */
function notFound(id: string): GatewayError {
  return new GatewayError(404, `Response with id '${id}' not found.`);
}
