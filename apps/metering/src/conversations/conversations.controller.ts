import { Controller } from '@nestjs/common';
import { conversationOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { KeptTurns } from '../account-turns';
import { databaseAnswer } from '../databases';
import type { ConversationReply, ConversationRequest } from '../operations';
import { Conversations } from './conversations';

/** Keeps, shows, adds to and removes conversations of callers. */
@Controller()
export class ConversationsController {
  constructor(
    private readonly conversations: Conversations,
    private readonly turns: KeptTurns,
  ) {}

  @Serve(conversationOperations.create)
  create(request: ConversationRequest<'create'>): Promise<ConversationReply<'create'>> {
    return this.nothing(request, () => this.conversations.create(request));
  }

  @Serve(conversationOperations.find)
  find(request: ConversationRequest<'find'>): Promise<ConversationReply<'find'>> {
    return this.answer(request, () => this.conversations.find(request));
  }

  @Serve(conversationOperations.describe)
  describe(request: ConversationRequest<'describe'>): Promise<ConversationReply<'describe'>> {
    return this.answer(request, () => this.conversations.describe(request));
  }

  @Serve(conversationOperations.remove)
  remove(request: ConversationRequest<'remove'>): Promise<ConversationReply<'remove'>> {
    return this.nothing(request, () => this.conversations.remove(request));
  }

  @Serve(conversationOperations.lock)
  lock(request: ConversationRequest<'lock'>): Promise<ConversationReply<'lock'>> {
    return this.answer(request, () => this.conversations.lock(request));
  }

  @Serve(conversationOperations.unlock)
  unlock(request: ConversationRequest<'unlock'>): Promise<ConversationReply<'unlock'>> {
    return this.nothing(request, () => this.conversations.unlock(request));
  }

  @Serve(conversationOperations.add)
  add(request: ConversationRequest<'add'>): Promise<ConversationReply<'add'>> {
    return this.nothing(request, () => this.conversations.add(request));
  }

  @Serve(conversationOperations.read)
  read(request: ConversationRequest<'read'>): Promise<ConversationReply<'read'>> {
    return this.answer(request, () => this.conversations.read(request));
  }

  @Serve(conversationOperations.removeItem)
  removeItem(request: ConversationRequest<'removeItem'>): Promise<ConversationReply<'removeItem'>> {
    return this.answer(request, () => this.conversations.removeItem(request));
  }

  private async nothing(whose: { accountId: string }, work: () => Promise<void>): Promise<Record<string, never>> {
    await this.answer(whose, work);
    return {};
  }

  private answer<Result>({ accountId }: { accountId: string }, work: () => Promise<Result>): Promise<Result> {
    return this.turns.take(accountId, () => databaseAnswer(work));
  }
}
