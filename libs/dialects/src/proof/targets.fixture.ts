import type { DialectName } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import type { AnswerContext } from '../canonical/codec';
import type { CanonicalRequest } from '../canonical/generation-request';
import { aModel } from '../builders.fixture';
import type { UpstreamTarget } from '../provider-dialect';

/** A capable model of each dialect: what it is refused is the dialect's doing, not the model's. */
const models: Record<DialectName, string> = {
  'openai-chat': 'gpt-5.4-mini',
  'openai-responses': 'gpt-5.4',
  'anthropic-messages': 'claude-opus-4-6',
  gemini: 'gemini-3-pro',
  'bedrock-converse': 'anthropic.claude-opus-4-6-v1:0',
  cohere: 'command-a-reasoning-08-2025',
};

const made = new Map<string, UpstreamTarget>();

/** A deployment of a capable model at a provider of this dialect. */
export function targetOf(dialect: DialectName, stream: boolean): UpstreamTarget {
  const name = `${dialect} ${stream}`;
  let target = made.get(name);
  if (!target) made.set(name, (target = newTarget(dialect, stream)));
  return target;
}

function newTarget(dialect: DialectName, stream: boolean): UpstreamTarget {
  const upstreamModel = models[dialect];
  return {
    provider: providerDefinition.parse({
      id: 'acme',
      name: 'Acme',
      dialect,
      baseUrl: 'https://api.acme.example',
      apiKeyEnv: [],
      quirks: {
        webSearch: '.',
        codeExecution: '.',
        ...(dialect === 'openai-responses' && { customTools: '.' }),
        ...(dialect === 'openai-chat' && { reasoningField: 'reasoning_content' }),
      },
    }),
    model: aModel({
      id: 'acme/model',
      upstreamModel,
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      inputModalities: ['text', 'image', 'pdf', 'audio'],
    }),
    upstreamModel,
    stream,
  };
}

/** Ids that tell their order, so that what is written is the same every time. */
export function numberedIds(): () => string {
  let number = 0;
  return () => String(++number).padStart(24, 'a');
}

/** The context of a caller who asked for everything that can be shown. */
export function answerContext(
  members: Partial<CanonicalRequest> = {},
  body: Record<string, unknown> = {},
): AnswerContext {
  const request: CanonicalRequest = { surface: 'openai-chat', stream: true, messages: [], unread: [], ...members };
  return { request, body, model: 'acme/model', includeUsage: true, newId: numberedIds(), nowS: 1_700_000_000 };
}
