import { Controller, Delete, Get, Header, Param, Query, UseGuards } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts';
import type { z } from 'zod';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import type { Caller } from '../callers/authenticator';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import { inputItems } from './kept-items';
import type { inputItemList, removedResponse } from './kept-items';
import { TurnStore } from './turn-store';
import type { KeptTurns } from './turn-store';

/** Kept responses of the account of the calling key. What another account has is not told apart from what is not there. */
@Controller('v1/responses')
@UseGuards(KeyGuard, RequestLimitGuard)
export class ResponsesController {
  constructor(private readonly store: TurnStore) {}

  /** https://platform.openai.com/docs/api-reference/responses/get */
  @Get(':id')
  @Header('content-type', 'application/json; charset=utf-8')
  async response(@Param('id') id: string, @CurrentCaller() { key }: Caller, @Query() query: unknown): Promise<string> {
    if (typeof query === 'object' && query !== null && 'stream' in query && query.stream === 'true')
      throw new GatewayError(400, 'stream: only a response in the background can be streamed again');
    const { turns } = await this.find(key, id, true);
    return Buffer.from(turns[0]?.response ?? []).toString('utf8');
  }

  /** https://platform.openai.com/docs/api-reference/responses/input-items */
  @Get(':id/input_items')
  async inputItems(
    @Param('id') id: string,
    @CurrentCaller() { key }: Caller,
    @Query() query: unknown,
  ): Promise<z.infer<typeof inputItemList>> {
    const { turns } = await this.find(key, id, false);
    return inputItems(id, turns, query);
  }

  /** https://platform.openai.com/docs/api-reference/responses/delete */
  @Delete(':id')
  async remove(@Param('id') id: string, @CurrentCaller() { key }: Caller): Promise<z.infer<typeof removedResponse>> {
    if (!isId(id) || !(await this.store.remove(key.accountId, id))) throw notFound(id);
    return { id, object: 'response', deleted: true };
  }

  private async find({ accountId }: CallerKey, id: string, alone: boolean): Promise<KeptTurns> {
    const found = isId(id) ? await this.store.read({ accountId, id, alone }) : null;
    if (!found) throw notFound(id);
    return found;
  }
}

function isId(id: string): boolean {
  return /^[\w.-]{1,256}$/.test(id);
}

/** In OpenAI's words. */
function notFound(id: string): GatewayError {
  return new GatewayError(404, `Response with id '${id}' not found.`);
}
