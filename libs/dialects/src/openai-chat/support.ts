import type { SupportTable } from '../canonical/codec';

const noSuchField = 'chat completions have no such field';
const noSearch = { refused: 'chat completions name no search that other models have' };

/**
 * What becomes of each feature at a provider of chat completions.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export const support: SupportTable = {
  'message name': 'mapped',
  'system message after the first turn': 'mapped',
  'image by data': 'mapped',
  'image by URL': 'mapped',
  'image by file id': { refused: 'chat completions take images as data or by URL' },
  'image detail': 'mapped',
  'file by data': 'mapped',
  'file by URL': { refused: 'chat completions take files as data' },
  'file by file id': 'mapped',
  'audio input': 'mapped',
  'refusal of an earlier turn': 'mapped',
  'unsealed reasoning of an earlier turn': 'mapped',
  tools: 'mapped',
  'strict tool': 'mapped',
  'code execution': { refused: 'chat completions run no programs of the model' },
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
  'parallel tool calls off': 'mapped',
  'image in a tool result': 'mapped',
  'file in a tool result': 'mapped',
  'failed tool result': 'mapped',
  'cache control': { dropped: 'providers of chat completions cache by themselves' },
  'maximum of output tokens': 'mapped',
  temperature: 'mapped',
  'top p': 'mapped',
  'top k': { dropped: noSuchField },
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
  'reasoning summary': { dropped: 'reasoning is shown as the provider gives it' },
  'end user': 'mapped',
  // A 400 of OpenAI's without `store`, which the gateway asks for in nobody's name, and of Cerebras's:
  // https://community.openai.com/t/metadata-parameter-in-chat-completion-api-reference-documentation-needs-to-be-updated/1119240
  // https://github.com/livekit/agents/issues/1274
  metadata: { dropped: 'chat completions take labels only of what they keep' },
};
