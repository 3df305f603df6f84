import { z } from 'zod';

const model = z.object({
  status: z.string().optional(),
  reasoning: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  limit: z.object({ context: z.number().optional(), output: z.number().optional() }).optional(),
  modalities: z.object({ input: z.array(z.string()) }).optional(),
});
const document = z.record(z.string(), z.object({ models: z.record(z.string(), model) }));

/** What models.dev tells of a model beside its price; absent: it tells nothing. A limit of 0 is none. */
export interface DocumentFacts {
  provider: string;
  model: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  inputModalities?: string[];
  reasoning?: boolean;
  tools?: boolean;
  isDeprecated: boolean;
}

/** Reads the facts of https://models.dev/api.json. @throws ZodError when it is no such document. */
export function readModelsDevFacts(json: unknown): DocumentFacts[] {
  return Object.entries(document.parse(json)).flatMap(([provider, { models }]) =>
    Object.entries(models).map(([name, { status, reasoning, tool_call: tools, limit, modalities }]) => ({
      provider,
      model: name,
      ...(limit?.context && { contextWindow: limit.context }),
      ...(limit?.output && { maxOutputTokens: limit.output }),
      ...(modalities && { inputModalities: modalities.input }),
      ...(reasoning !== undefined && { reasoning }),
      ...(tools !== undefined && { tools }),
      isDeprecated: status === 'deprecated',
    })),
  );
}
