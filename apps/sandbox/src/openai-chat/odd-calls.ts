import { splitModel } from '../behaviour/read-behaviour';

/** How providers tell calls otherwise than OpenAI does; plain answers of theirs have no numbers anyway. */
const oddities: readonly [models: RegExp, write: (call: Record<string, unknown>, at: number) => object][] = [
  // NVIDIA's NIM tells ids as numbers. https://github.com/anomalyco/opencode/issues/25786
  [/^z-ai\/glm-/, (call, at) => (call.id === undefined ? call : { ...call, id: 1_000 + at })],
  // Z.AI's Flash tells none. https://github.com/CherryHQ/cherry-studio/pull/16322
  [/^glm-4\.6-flash/, ({ id: _, ...call }) => call],
  // sglang, and Gemini's address for OpenAI's clients, leave out the number.
  // https://github.com/sgl-project/sglang/issues/5661 https://github.com/openai/openai-python/issues/2806
  [/^meta\/llama-3\.3-70b/, ({ index: _, ...call }) => call],
];

/** A call, or a fragment of one, as this model's provider tells it; the very same where it does as OpenAI. */
export function asTold<Call extends Record<string, unknown>>(call: Call, at: number, model: string): object {
  const [, write] = oddities.find(([models]) => models.test(splitModel(model).name)) ?? [];
  return write ? write(call, at) : call;
}
