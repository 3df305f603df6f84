import { Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { ownerOf, type Caller } from '../callers/authenticator';
import { holdsMoreValues, parseRequestJson } from '@tollgate/dialects/surface';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import { Clock } from '../clock';
import type { CallersWait } from '../generation/caller-left';
import { joinedInTurns } from '../generation/in-turns';
import { readBody } from '../generation/read-body';
import { checkContentType } from '../generation/body-encoding';
import { Settings } from '../settings';
import { newItem } from './conversation-item';
import type { NewItem } from './conversation-item';
import { changedConversation, newConversation, newItems, readShape } from './conversation-shapes';
import type { removedConversation } from './conversation-shapes';
import { ConversationStore } from './conversation-store';
import type { ToldConversation } from './conversation-store';
import { inputItemsQuery } from './kept-items';
import { ReadingMemory } from './reading-memory';
import { factsOf, jsonType, toldItem, toldList } from './told-items';
import type { ToldItem } from './told-items';
import { isKeptId } from './turn';
import { Waits } from './waits';

/**
 * At most 20 items, whose texts count as one value each: they are taken apart here, where others wait. A
 * larger conversation could not be listed either.
 */
const mostValues = 8_192;
const mostBytes = 8_388_608;

/**
 * Conversations of the account of the calling key. What another account has is not told apart from what is
 * not there. https://platform.openai.com/docs/api-reference/conversations
 */
@Controller('v1/conversations')
@UseGuards(KeyGuard, RequestLimitGuard)
export class ConversationsController {
  constructor(
    private readonly store: ConversationStore,
    private readonly memory: ReadingMemory,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  @Post()
  @HttpCode(200)
  async create(@Req() request: FastifyRequest, @CurrentCaller() { key }: Caller): Promise<ToldConversation> {
    if (!this.settings.storesResponses) throw nothingKept();
    return this.withBody(request, key, newConversation, async ({ items, metadata }) => {
      const made = await this.store.create(key, metadata ?? {}, this.clock.nowMs());
      if (items && items.length > 0)
        await this.store.append({ accountId: key.accountId, id: made.id }, items.map(newItem));
      return made;
    });
  }

  @Get(':id')
  async conversation(@Param('id') id: string, @CurrentCaller() { key }: Caller): Promise<ToldConversation> {
    return found(id, isKeptId(id) && (await this.store.find({ accountId: key.accountId, id })));
  }

  @Post(':id')
  @HttpCode(200)
  async update(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @CurrentCaller() { key }: Caller,
  ): Promise<ToldConversation> {
    return this.withBody(request, key, changedConversation, async ({ metadata }) =>
      found(id, isKeptId(id) && (await this.store.describe({ accountId: key.accountId, id }, metadata ?? {}))),
    );
  }

  /** Its items go with it. */
  @Delete(':id')
  async remove(
    @Param('id') id: string,
    @CurrentCaller() { key }: Caller,
  ): Promise<z.infer<typeof removedConversation>> {
    found(id, isKeptId(id) && (await this.store.remove({ accountId: key.accountId, id })));
    return { id, object: 'conversation.deleted', deleted: true };
  }

  @Get(':id/items')
  @Header('content-type', jsonType)
  async items(
    @Param('id') id: string,
    @CurrentCaller() { key }: Caller,
    @Waits() waits: CallersWait,
    @Query() query: unknown,
  ): Promise<Buffer> {
    const { limit, order, after = null } = readShape(inputItemsQuery, query);
    const wanted = { accountId: key.accountId, id, order, after, most: limit };
    return this.memory.reading({ owner: ownerOf(key), waits }, async (onSize) => {
      const page = isKeptId(id) ? await this.store.items({ ...wanted, onSize }) : null;
      if (page) return this.written(page.items, (items) => toldList(items, page.isMore));
      found(id, isKeptId(id) && (await this.store.find(wanted)));
      throw new GatewayError(400, `after: there is no item ${after} here`);
    });
  }

  @Post(':id/items')
  @HttpCode(200)
  @Header('content-type', jsonType)
  async add(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @CurrentCaller() { key }: Caller,
  ): Promise<Buffer> {
    return this.withBody(request, key, newItems, async ({ items }) => {
      const added = items.map(newItem);
      found(id, isKeptId(id) && (await this.store.append({ accountId: key.accountId, id }, added)));
      return toldList(added.map(told), false);
    });
  }

  @Get(':id/items/:itemId')
  @Header('content-type', jsonType)
  async item(
    @Param('id') id: string,
    @Param('itemId') itemId: string,
    @CurrentCaller() { key }: Caller,
    @Waits() waits: CallersWait,
  ): Promise<Buffer> {
    const wanted = { accountId: key.accountId, id, order: 'desc' as const, only: itemId, most: 1 };
    return this.memory.reading({ owner: ownerOf(key), waits }, async (onSize) => {
      const page = found(id, isKeptId(id) && (await this.store.items({ ...wanted, onSize })));
      const [item] = page.items;
      if (!item) throw new GatewayError(404, `Item with id '${itemId}' not found in conversation with id '${id}'.`);
      return this.written([item], ([only]) => joinedInTurns(only?.pieces ?? []));
    });
  }

  @Delete(':id/items/:itemId')
  async removeItem(
    @Param('id') id: string,
    @Param('itemId') itemId: string,
    @CurrentCaller() { key }: Caller,
  ): Promise<ToldConversation> {
    const named = { accountId: key.accountId, id };
    const left = isKeptId(id) && isKeptId(itemId) ? await this.store.removeItem(named, itemId) : null;
    if (left) return left;
    found(id, isKeptId(id) && (await this.store.find(named)));
    throw new GatewayError(404, `Item with id '${itemId}' not found in conversation with id '${id}'.`);
  }

  /** What is written of items that were read, which are gone then. */
  private async written(
    items: readonly NewItem[],
    write: (items: readonly ToldItem[]) => Promise<Buffer>,
  ): Promise<Buffer> {
    const text = await write(items.map(told));
    for (const item of items) this.memory.free(item.text);
    return this.memory.told(text);
  }

  /** What `use` makes of a body of this shape, which may be left out where nothing in it is required. */
  private async withBody<Shape extends z.ZodType, Result>(
    { raw }: FastifyRequest,
    key: CallerKey,
    shape: Shape,
    use: (body: z.output<Shape>) => Promise<Result>,
  ): Promise<Result> {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (length !== '0' || encoding !== undefined) checkContentType(raw.headers);
    const limit = Math.min(this.settings.bodyLimit, mostBytes);
    const room = { limit, memory: this.memory.memory, owner: ownerOf(key) };
    const held = await readBody(raw, room);
    try {
      if (holdsMoreValues(held.bytes, mostValues)) throw tooManyValues();
      return await use(readShape(shape, held.bytes.length === 0 ? {} : parseRequestJson(held.bytes)));
    } finally {
      held.release();
    }
  }
}

function told({ id, text }: NewItem): ToldItem {
  const facts = factsOf(text);
  // What is told of a message is always whole:
  // https://platform.openai.com/docs/api-reference/conversations/list-items
  return toldItem(text, facts, id, facts.type === 'message' ? 'completed' : null);
}

function found<Kept>(id: string, kept: Kept | null | false): Kept {
  if (kept === null || kept === false)
    throw new GatewayError(404, `Conversation with id '${id}' not found.`).because('conversation_not_found');
  return kept;
}

function tooManyValues(): GatewayError {
  return new GatewayError(
    400,
    `The request body holds more than ${mostValues} JSON values, which is the most of items.`,
  );
}

/** The operator has it switched off. */
export function nothingKept(): GatewayError {
  return new GatewayError(400, 'This gateway keeps no responses and no conversations: send the whole conversation.');
}
