import type { UpstreamTarget } from '../provider-dialect';

type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH' | 'XHIGH';

/** What the name of a model tells of it. */
export interface ModelFacts {
  /**
   * How the model is told to think: by a number of tokens (2.5) or by a level (3 and later). Null: it does
   * not think.
   */
  thinking: { by: 'budget'; least: number; most: number; canBeOff: boolean } | { by: 'level'; levels: Level[] } | null;
  /**
   * True from Gemini 3 on: calls of tools have ids and must come back with their signatures, JSON answers and
   * tools go together, and tools may answer with media.
   * Older models refuse ids at Vertex AI, newer ones take them everywhere:
   * https://github.com/anomalyco/opencode/pull/50504
   */
  isThirdGeneration: boolean;
}

/**
 * Budgets and levels of the models: https://ai.google.dev/gemini-api/docs/thinking
 * https://cloud.google.com/vertex-ai/generative-ai/docs/thinking A name without a version, such as
 * gemini-flash-latest, stands for the newest.
 */
export function modelFacts({ upstreamModel, model }: UpstreamTarget): ModelFacts {
  const version = /gemini-(\d+(?:\.\d+)?)/.exec(upstreamModel)?.[1];
  const generation = version === undefined ? (upstreamModel.includes('gemini') ? 3 : 0) : Number(version);
  const isThirdGeneration = generation >= 3;
  if (!model.capabilities.reasoning || generation < 2.5) return { thinking: null, isThirdGeneration };
  const isPro = /\bpro\b/.test(upstreamModel);
  if (isThirdGeneration) {
    const usual: Level[] = isPro ? ['LOW', 'MEDIUM', 'HIGH'] : ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
    const above: Level[] = model.reasoningEfforts?.includes('xhigh') ? ['XHIGH'] : [];
    const told = usual.filter((level) => model.reasoningEfforts?.includes(level.toLowerCase()) ?? true).concat(above);
    return { thinking: { by: 'level', levels: told.length > 0 ? told : usual }, isThirdGeneration };
  }
  if (isPro) return { thinking: { by: 'budget', least: 128, most: 32_768, canBeOff: false }, isThirdGeneration };
  const least = upstreamModel.includes('lite') ? 512 : 1;
  return { thinking: { by: 'budget', least, most: 24_576, canBeOff: true }, isThirdGeneration };
}
