import type { ProviderRequest } from '../canonical/codec';
import type { CanonicalRequest } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { modelFacts } from './model-facts';
import { PartWriter } from './part-writer';
import { geminiPath } from './path';
import { toContents } from './to-contents';
import { toGenerationConfig } from './to-generation-config';
import { toResponseFormat } from './to-response-format';
import { toServiceTier } from './to-service-tier';
import { toThinkingConfig } from './to-thinking';
import { toTools } from './to-tools';
import { limitWithUsed, resumedAnswer } from './long-answer';
import { ToolNames } from '../canonical/tool-names';
import { geminiNames } from './gemini-names';
import { withSignatures } from './with-signatures';
import { defined } from '../wire/json-value';

/** A request of generateContent or streamGenerateContent. https://ai.google.dev/api/generate-content */
export function toGeminiRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const warnings = new Set<string>();
  const warn = (warning: string): void => void warnings.add(warning);
  const facts = modelFacts(target);
  const names = new ToolNames(request, geminiNames);
  const writer = new PartWriter({
    names,
    calls: callsOf(request),
    takesIds: facts.isThirdGeneration,
    takesMediaResults: facts.isThirdGeneration,
    warn,
  });
  const { messages, continuation } = resumedAnswer(request.messages, target, warn);
  const { instruction, contents } = toContents(messages, writer, warn);
  const format = toResponseFormat(request, facts, warn);
  const systemParts = [...instruction, ...format.instruction];
  const generationConfig = defined({
    ...toGenerationConfig(request, warn),
    ...(continuation && { maxOutputTokens: limitWithUsed(request.maxOutputTokens, continuation, target) }),
    ...format.fields,
    thinkingConfig: toThinkingConfig(request.reasoning, target, warn),
  });
  return {
    path: geminiPath(target, request.stream),
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
    },
    body: {
      contents: facts.isThirdGeneration ? withSignatures(contents) : contents,
      ...(systemParts.length > 0 && { systemInstruction: { parts: systemParts } }),
      ...toTools(request, names, warn),
      ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
      ...toServiceTier(request.extra?.service_tier, target, warn),
      ...(target.provider.quirks.keepsUnlessTold && { store: false }),
      ...(continuation && { continuationToken: continuation.token }),
    },
    warnings: [...warnings],
  };
}

function callsOf({ messages }: CanonicalRequest): Map<string, { name: string; place: number }> {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
  return new Map(calls.map(({ id, name }, place) => [id, { name, place }]));
}
