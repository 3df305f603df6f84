import { Controller } from '@nestjs/common';
import { conversationOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import type { ConversationReply, ConversationRequest } from '../operations';
import { Conversations } from './conversations';

/** Keeps, shows, adds to and removes conversations of callers. */
@Controller()
export class ConversationsController {
  constructor(private readonly conversations: Conversations) {}

  @Serve(conversationOperations.create)
  create(request: ConversationRequest<'create'>): Promise<ConversationReply<'create'>> {
    return nothing(() => this.conversations.create(request));
  }

  @Serve(conversationOperations.find)
  find(request: ConversationRequest<'find'>): Promise<ConversationReply<'find'>> {
    return databaseAnswer(() => this.conversations.find(request));
  }

  @Serve(conversationOperations.describe)
  describe(request: ConversationRequest<'describe'>): Promise<ConversationReply<'describe'>> {
    return databaseAnswer(() => this.conversations.describe(request));
  }

  @Serve(conversationOperations.remove)
  remove(request: ConversationRequest<'remove'>): Promise<ConversationReply<'remove'>> {
    return nothing(() => this.conversations.remove(request));
  }

  @Serve(conversationOperations.lock)
  lock(request: ConversationRequest<'lock'>): Promise<ConversationReply<'lock'>> {
    return databaseAnswer(() => this.conversations.lock(request));
  }

  @Serve(conversationOperations.unlock)
  unlock(request: ConversationRequest<'unlock'>): Promise<ConversationReply<'unlock'>> {
    return nothing(() => this.conversations.unlock(request));
  }

  @Serve(conversationOperations.add)
  add(request: ConversationRequest<'add'>): Promise<ConversationReply<'add'>> {
    return nothing(() => this.conversations.add(request));
  }

  @Serve(conversationOperations.read)
  read(request: ConversationRequest<'read'>): Promise<ConversationReply<'read'>> {
    return databaseAnswer(() => this.conversations.read(request));
  }

  @Serve(conversationOperations.removeItem)
  removeItem(request: ConversationRequest<'removeItem'>): Promise<ConversationReply<'removeItem'>> {
    return databaseAnswer(() => this.conversations.removeItem(request));
  }
}

function nothing(work: () => Promise<void>): Promise<Record<string, never>> {
  return databaseAnswer(async () => {
    await work();
    return {};
  });
}
