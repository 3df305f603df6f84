import { modelEntry } from '@tollgate/configuration';
import { z } from 'zod';
import alibaba from './models/alibaba.json';
import anthropic from './models/anthropic.json';
import azure from './models/azure.json';
import azureAnthropic from './models/azure-anthropic.json';
import bedrock from './models/bedrock.json';
import bedrockOpenai from './models/bedrock-openai.json';
import cerebras from './models/cerebras.json';
import cohere from './models/cohere.json';
import deepseek from './models/deepseek.json';
import cohereEmbeddings from './models/embeddings-cohere.json';
import googleEmbeddings from './models/embeddings-google.json';
import mistralEmbeddings from './models/embeddings-mistral.json';
import openaiEmbeddings from './models/embeddings-openai.json';
import endingOpenai from './models/ending-openai.json';
import fireworks from './models/fireworks.json';
import google from './models/google.json';
import groq from './models/groq.json';
import mistral from './models/mistral.json';
import moonshot from './models/moonshot.json';
import nvidia from './models/nvidia.json';
import openai from './models/openai.json';
import perplexity from './models/perplexity.json';
import togetherai from './models/togetherai.json';
import vertex from './models/vertex.json';
import vertexAnthropic from './models/vertex-anthropic.json';
import xai from './models/xai.json';
import zai from './models/zai.json';

/**
 * Names that a provider once served and that have no model here: since `date` (absent: not known) the
 * provider answers to none of them.
 */
const goneNames = z.strictObject({
  names: z.array(z.string().min(1)).min(1),
  date: z.iso.date().optional(),
  successor: z.string().optional(),
  source: z.url(),
});

/**
 * Models of one provider; those that embed, and where they are many those that end, have a file of their own.
 * `source` is where the facts were taken from, on the day `retrieved`; a model may name another for itself:
 * one address or several, in words. `documentation` and `pricing` are the provider's own pages to check them
 * against. A model's `note`
 * says where this file departs from its source, and why.
 */
const seedFile = z.strictObject({
  provider: z.string(),
  source: z.url(),
  retrieved: z.iso.date(),
  documentation: z.url(),
  pricing: z.url(),
  models: z
    .array(
      modelEntry.extend({
        source: z.string().startsWith('https://').optional(),
        retrieved: z.iso.date().optional(),
        note: z.string().min(1).optional(),
      }),
    )
    .min(1),
  gone: z.array(goneNames).default([]),
});
export type SeedFile = z.infer<typeof seedFile>;

/** The models that Tollgate ships with. */
export const seedFiles: readonly SeedFile[] = [
  alibaba,
  anthropic,
  azure,
  azureAnthropic,
  bedrock,
  bedrockOpenai,
  cerebras,
  cohere,
  deepseek,
  cohereEmbeddings,
  googleEmbeddings,
  mistralEmbeddings,
  openaiEmbeddings,
  endingOpenai,
  fireworks,
  google,
  groq,
  mistral,
  moonshot,
  nvidia,
  openai,
  perplexity,
  togetherai,
  vertex,
  vertexAnthropic,
  xai,
  zai,
].map((file) => seedFile.parse(file));
