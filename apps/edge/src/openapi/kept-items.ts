import type { OpenAPIObject } from '@nestjs/swagger';
import {
  changedConversation,
  conversation,
  conversationItem,
  newConversation,
  newItems,
  removedConversation,
} from '../responses/conversation-shapes';
import { inputItemList, inputItemsQuery, removedResponse, responseQuery } from '../responses/kept-items';
import { errors, parameter, queryParameters, reading, reference } from './document-parts';

type PathItem = OpenAPIObject['paths'][string];

const responseId = parameter('path', 'id', 'The id of a response, of any key of this account');
const conversationId = parameter('path', 'id', 'The id of a conversation, of any key of this account');
const itemId = parameter('path', 'itemId', 'The id of an item of it');

/** The shapes of what is kept and told again. */
export const keptSchemas = {
  InputItemList: inputItemList,
  RemovedResponse: removedResponse,
  NewConversation: newConversation,
  ChangedConversation: changedConversation,
  Conversation: conversation,
  RemovedConversation: removedConversation,
  NewItems: newItems,
  ConversationItem: conversationItem,
};

/** What is kept of responses, and conversations. */
export function keptPaths(): Record<string, PathItem> {
  return {
    '/v1/responses/{id}': {
      get: {
        ...reading('A kept response', 'Response'),
        parameters: [responseId, ...queryParameters(responseQuery)],
      },
      delete: { ...reading('Remove a kept response', 'RemovedResponse'), parameters: [responseId] },
    },
    '/v1/responses/{id}/cancel': {
      post: {
        ...reading('End a response that is made in the background; one that is there stays as it is', 'Response'),
        parameters: [responseId],
      },
    },
    '/v1/responses/{id}/input_items': {
      get: {
        ...reading('Everything that a kept response was made from, in pages', 'InputItemList'),
        parameters: [responseId, ...queryParameters(inputItemsQuery)],
      },
    },
    '/v1/conversations': { post: changing('Begin a conversation', 'NewConversation', 'Conversation') },
    '/v1/conversations/{id}': {
      get: { ...reading('A conversation', 'Conversation'), parameters: [conversationId] },
      post: {
        ...changing('Give it other metadata', 'ChangedConversation', 'Conversation'),
        parameters: [conversationId],
      },
      delete: {
        ...reading('Remove a conversation, with its items', 'RemovedConversation'),
        parameters: [conversationId],
      },
    },
    '/v1/conversations/{id}/items': {
      get: {
        ...reading('The items of a conversation, in pages', 'InputItemList'),
        parameters: [conversationId, ...queryParameters(inputItemsQuery)],
      },
      post: { ...changing('Add items to a conversation', 'NewItems', 'InputItemList'), parameters: [conversationId] },
    },
    '/v1/conversations/{id}/items/{itemId}': {
      get: { ...reading('An item of a conversation', 'ConversationItem'), parameters: [conversationId, itemId] },
      delete: {
        ...reading('Remove an item; the answer is its conversation', 'Conversation'),
        parameters: [conversationId, itemId],
      },
    },
  };
}

/** Something that takes a body of the schema `body`. */
function changing(summary: string, body: string, answer: string): NonNullable<PathItem['post']> {
  const described = reading(summary, answer);
  return {
    ...described,
    requestBody: { content: { 'application/json': { schema: reference(body) } } },
    responses: { ...described.responses, ...errors(['413', '415'], 'Error') },
  };
}
