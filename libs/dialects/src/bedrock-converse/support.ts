import type { SupportTable } from '../canonical/codec';

const byUrl = { refused: 'Bedrock takes only media that stand in the request, not addresses' };
const byId = { refused: 'Bedrock keeps no uploaded files' };
const noField = { dropped: 'Bedrock Converse has no field for it' };
const noSearch = { refused: 'Bedrock Converse has no search of its own' };

/**
 * What Converse can express:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export const bedrockConverseSupport: SupportTable = {
  'message name': { dropped: 'messages have no name in Bedrock Converse' },
  'system message after the first turn': 'mapped',
  'image by data': 'mapped',
  'image by URL': byUrl,
  'image by file id': byId,
  'image detail': noField,
  'file by data': 'mapped',
  'file by URL': byUrl,
  'file by file id': byId,
  'audio input': 'mapped',
  'refusal of an earlier turn': 'mapped',
  'unsealed reasoning of an earlier turn': { dropped: 'Bedrock takes back only reasoning that it has signed' },
  tools: 'mapped',
  'strict tool': 'mapped',
  'code execution': { refused: 'Bedrock Converse runs no programs of its models' },
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
  'parallel tool calls off': { dropped: 'Bedrock Converse has no such switch; several calls may come at once' },
  'image in a tool result': 'mapped',
  'file in a tool result': 'mapped',
  'failed tool result': 'mapped',
  'cache control': 'mapped',
  'maximum of output tokens': 'mapped',
  temperature: 'mapped',
  'top p': 'mapped',
  'top k': 'mapped',
  'stop sequences': 'mapped',
  seed: noField,
  'several choices': { refused: 'Bedrock gives one answer to a request' },
  'presence penalty': noField,
  'frequency penalty': noField,
  'log probabilities': { refused: 'Bedrock Converse tells none' },
  'JSON object': 'mapped',
  'JSON schema': 'mapped',
  'reasoning effort': 'mapped',
  'reasoning budget': 'mapped',
  'reasoning off': 'mapped',
  'adaptive reasoning': 'mapped',
  'reasoning summary': { dropped: 'Bedrock sends what reasoning it shows without being asked' },
  'end user': noField,
  metadata: 'mapped',
};
