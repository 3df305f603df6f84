import { modelEntry } from '@tollgate/configuration';
import { z } from 'zod';
import alibaba from './models/alibaba.json';
import cerebras from './models/cerebras.json';
import cohere from './models/cohere.json';
import deepseek from './models/deepseek.json';
import fireworks from './models/fireworks.json';
import groq from './models/groq.json';
import mistral from './models/mistral.json';
import moonshot from './models/moonshot.json';
import nvidia from './models/nvidia.json';
import openai from './models/openai.json';
import perplexity from './models/perplexity.json';
import togetherai from './models/togetherai.json';
import xai from './models/xai.json';
import zai from './models/zai.json';

/**
 * The models of one provider. `source` is where the facts were taken from, on the day `retrieved`; `documentation` and `pricing` are the provider's own
 * pages to check them against. A model's `note` says where this file departs from its source, and why.
 */
const seedFile = z.strictObject({
  provider: z.string(),
  source: z.url(),
  retrieved: z.iso.date(),
  documentation: z.url(),
  pricing: z.url(),
  models: z.array(modelEntry.extend({ note: z.string().min(1).optional() })).min(1),
});
export type SeedFile = z.infer<typeof seedFile>;

/** The models that Tollgate ships with, a file per provider. */
export const seedFiles: readonly SeedFile[] = [
  alibaba,
  cerebras,
  cohere,
  deepseek,
  fireworks,
  groq,
  mistral,
  moonshot,
  nvidia,
  openai,
  perplexity,
  togetherai,
  xai,
  zai,
].map((file) => seedFile.parse(file));
