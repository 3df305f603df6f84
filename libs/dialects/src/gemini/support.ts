import type { SupportTable } from '../canonical/codec';

const byId = { refused: 'Gemini cannot read files that were uploaded to another provider' };
const noField = { dropped: 'Gemini has no field for it' };
/** https://ai.google.dev/api/caching#GoogleSearch */
const allOfTheWeb = { refused: 'Gemini searches all of the web' };
const ownSearch = { dropped: 'Gemini searches as it sees fit' };

/**
 * What generateContent can express; where it depends on the model, `toRequest` decides and warns.
 * https://ai.google.dev/api/generate-content
 */
export const geminiSupport: SupportTable = {
  'message name': { dropped: 'messages have no name in Gemini' },
  'system message after the first turn': 'mapped',
  'image by data': 'mapped',
  'image by URL': 'mapped',
  'image by file id': byId,
  'image detail': { dropped: 'Gemini chooses the resolution itself' },
  'file by data': 'mapped',
  'file by URL': 'mapped',
  'file by file id': byId,
  'audio input': 'mapped',
  'refusal of an earlier turn': 'mapped',
  'unsealed reasoning of an earlier turn': 'mapped',
  tools: 'mapped',
  'strict tool': 'mapped',
  'code execution': 'mapped',
  'web search': 'mapped',
  'web search of named domains only': allOfTheWeb,
  'web search without named domains': allOfTheWeb,
  'limit of web searches': ownSearch,
  'location of a web search': ownSearch,
  'size of a web search': ownSearch,
  'tool choice web search': { dropped: 'Gemini searches where it needs to' },
  'tool choice none': 'mapped',
  'tool choice required': 'mapped',
  'tool choice by name': 'mapped',
  'parallel tool calls off': { dropped: 'Gemini has no such switch; several calls may come at once' },
  'image in a tool result': 'mapped',
  'file in a tool result': 'mapped',
  'failed tool result': 'mapped',
  'cache control': { dropped: 'Gemini caches by itself' },
  'maximum of output tokens': 'mapped',
  temperature: 'mapped',
  'top p': 'mapped',
  'top k': 'mapped',
  'stop sequences': 'mapped',
  seed: 'mapped',
  'several choices': 'mapped',
  'presence penalty': 'mapped',
  'frequency penalty': 'mapped',
  'log probabilities': 'mapped',
  'JSON object': 'mapped',
  'JSON schema': 'mapped',
  'reasoning effort': 'mapped',
  'reasoning budget': 'mapped',
  'reasoning off': 'mapped',
  'adaptive reasoning': 'mapped',
  'reasoning summary': 'mapped',
  'end user': noField,
  metadata: noField,
};
