import type { SupportTable } from '../canonical/codec';

const noFiles = { refused: 'Cohere takes text and images, no files' };
const noField = { dropped: 'Cohere has no field for it' };
const noSearch = { refused: "Cohere's chat has no search of its own" };

/**
 * What chat of version 2 can express; where it depends on the model, `toRequest` decides and warns.
 * https://docs.cohere.com/reference/chat
 */
export const cohereSupport: SupportTable = {
  'message name': { dropped: 'messages have no name at Cohere' },
  'system message after the first turn': 'mapped',
  'image by data': 'mapped',
  'image by URL': 'mapped',
  'image by file id': { refused: 'Cohere keeps no uploaded files' },
  'image detail': 'mapped',
  'file by data': noFiles,
  'file by URL': noFiles,
  'file by file id': noFiles,
  'audio input': { refused: 'Cohere takes no audio in a chat' },
  'refusal of an earlier turn': 'mapped',
  'unsealed reasoning of an earlier turn': 'mapped',
  tools: 'mapped',
  'strict tool': 'mapped',
  'code execution': { refused: 'Cohere runs no programs of its models' },
  'web search': noSearch,
  'web search of named domains only': noSearch,
  'web search without named domains': noSearch,
  'limit of web searches': noSearch,
  'location of a web search': noSearch,
  'size of a web search': noSearch,
  'tool choice web search': noSearch,
  'tool choice none': 'mapped',
  'tool choice required': 'mapped',
  'tool choice by name': 'mapped',
  'parallel tool calls off': { dropped: 'Cohere has no such switch; several calls may come at once' },
  'image in a tool result': 'mapped',
  'file in a tool result': { refused: 'Cohere takes only text and images as the result of a tool' },
  'failed tool result': 'mapped',
  'cache control': { dropped: 'Cohere caches by itself' },
  'maximum of output tokens': 'mapped',
  temperature: 'mapped',
  'top p': 'mapped',
  'top k': 'mapped',
  'stop sequences': 'mapped',
  seed: 'mapped',
  'several choices': { refused: 'Cohere gives one answer to a request' },
  'presence penalty': 'mapped',
  'frequency penalty': 'mapped',
  'log probabilities': 'mapped',
  'JSON object': 'mapped',
  'JSON schema': 'mapped',
  'reasoning effort': 'mapped',
  'reasoning budget': 'mapped',
  'reasoning off': 'mapped',
  'adaptive reasoning': 'mapped',
  'reasoning summary': { dropped: 'Cohere shows the reasoning as it is' },
  'end user': noField,
  metadata: noField,
};
