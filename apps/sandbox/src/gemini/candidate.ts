import { jsonObject } from '../answer/json-object';
import { alternativesTo, logprobOf } from '../answer/logprobs';
import type { Logprob } from '../answer/logprobs';
import { textOf } from '../answer/pieces';
import type { Piece } from '../answer/pieces';
import type { PlannedAnswer, PlannedBlock, ToolCallBlock } from '../answer/planned-answer';
import { sealOf } from '../answer/seal';
import type { SpokenUsage } from '../speech/simulated-dialect';
import type { GenerationRequest } from './read-generation';

type Json = Record<string, unknown>;

/** https://ai.google.dev/api/generate-content#FinishReason */
export const finishReasons = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'stop-sequence': 'STOP',
  refusal: 'PROHIBITED_CONTENT',
  filter: 'SAFETY',
  broken: 'OTHER',
} as const;

/** The parts of a whole answer. A call that was cut is not given. */
export function partsOf({ blocks, finish }: PlannedAnswer, request: GenerationRequest): Json[] {
  const calls = wholeCalls(blocks, finish);
  return blocks.flatMap((block): Json[] => {
    const text = textOf(block.pieces);
    switch (block.type) {
      case 'reasoning':
        return block.isRedacted ? [] : [{ text, thought: true }];
      case 'text':
        return [{ text, ...(signsText(request) && { thoughtSignature: sealOf(text) }) }];
      case 'refusal':
        return [{ text }];
      case 'tool-call':
        return calls.includes(block) ? [callPart(block, calls[0] === block, request)] : [];
    }
  });
}

/**
 * Gemini 3 signs what it says after thinking, too. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function signsText({ isThirdGeneration, reasons }: GenerationRequest): boolean {
  return isThirdGeneration && reasons;
}

/** Of an answer's calls all but a last one that was cut. */
export function wholeCalls(blocks: readonly PlannedBlock[], finish: PlannedAnswer['finish']): ToolCallBlock[] {
  const calls = blocks.filter((block) => block.type === 'tool-call');
  return finish === 'length' ? calls.slice(0, -1) : calls;
}

/** Only the first of parallel calls is signed. */
export function callPart(block: ToolCallBlock, isFirst: boolean, { isThirdGeneration }: GenerationRequest): Json {
  const args = jsonObject(textOf(block.pieces));
  return {
    functionCall: { ...(isThirdGeneration && { id: block.id }), name: block.name, args },
    ...(isFirst && { thoughtSignature: sealOf(block.id) }),
  };
}

/** https://ai.google.dev/api/generate-content#LogprobsResult */
export function logprobsOf(pieces: readonly Piece[], top: number | null): Json {
  if (top === null) return {};
  const chosen = pieces.map(({ text }) => named(logprobOf(text)));
  const topCandidates = pieces.map(({ text }) => ({ candidates: alternativesTo(text, top).map(named) }));
  return { logprobsResult: { chosenCandidates: chosen, ...(top > 0 && { topCandidates }) } };
}

function named({ token, logprob }: Logprob): Json {
  return { token, tokenId: token.length, logProbability: logprob };
}

/** What a search found. https://ai.google.dev/gemini-api/docs/google-search */
export function groundingOf({ blocks, hosted }: PlannedAnswer): Json {
  const [text] = blocks.filter((block) => block.type === 'text');
  if (!text || !hosted.includes('webSearch')) return {};
  const said = textOf(text.pieces);
  const chunks = text.citations.map(({ title, url }) => ({ web: { uri: url, title } }));
  const segment = { startIndex: 0, endIndex: Buffer.byteLength(said), text: said };
  return {
    groundingMetadata: {
      webSearchQueries: ['example'],
      groundingChunks: chunks,
      groundingSupports: [{ segment, groundingChunkIndices: chunks.map((_, index) => index) }],
    },
  };
}

/**
 * Thoughts are not among the candidates' tokens. `tier`: what serves the request,
 * https://ai.google.dev/gemini-api/docs/priority-inference
 */
export function usageOf(usage: SpokenUsage | null, { tier, seen }: GenerationRequest): Json {
  if (!usage) return {};
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } = usage;
  return {
    usageMetadata: {
      ...promptUsage(usage, seen),
      candidatesTokenCount: outputTokens - reasoningTokens,
      totalTokenCount: inputTokens + outputTokens,
      ...(cacheReadTokens > 0 && { cachedContentTokenCount: cacheReadTokens }),
      ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
      ...servedAt(tier),
    },
  };
}

/** What is known while the answer is still on its way. */
export function earlyUsage(usage: SpokenUsage | null, { tier, seen }: GenerationRequest): Json {
  if (!usage) return {};
  return {
    usageMetadata: { ...promptUsage(usage, seen), totalTokenCount: usage.inputTokens, ...servedAt(tier) },
  };
}

/**
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse#TrafficType
 */
function servedAt(tier: string | null): Json {
  return tier === null ? { trafficType: 'ON_DEMAND' } : { serviceTier: tier };
}

/** What is no text is told apart. https://ai.google.dev/api/generate-content#ModalityTokenCount */
function promptUsage({ inputTokens, audioInputTokens }: SpokenUsage, seen: GenerationRequest['seen']): Json {
  const { image = 0, video = 0 } = seen ?? {};
  const media = [
    { modality: 'AUDIO', tokenCount: audioInputTokens },
    { modality: 'IMAGE', tokenCount: image },
    { modality: 'VIDEO', tokenCount: video },
  ].filter(({ tokenCount }) => tokenCount > 0);
  const text = media.reduce((left, { tokenCount }) => left - tokenCount, inputTokens);
  return {
    promptTokenCount: inputTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: text }, ...media],
  };
}
