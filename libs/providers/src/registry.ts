import { providerDefinition } from '@tollgate/contracts/catalog';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { alibaba } from './providers/alibaba';
import { anthropic } from './providers/anthropic';
import { azure } from './providers/azure';
import { azureAnthropic } from './providers/azure-anthropic';
import { bedrock } from './providers/bedrock';
import { bedrockOpenai } from './providers/bedrock-openai';
import { cerebras } from './providers/cerebras';
import { cohere } from './providers/cohere';
import { deepseek } from './providers/deepseek';
import { fireworks } from './providers/fireworks';
import { google } from './providers/google';
import { groq } from './providers/groq';
import { mistral } from './providers/mistral';
import { moonshot } from './providers/moonshot';
import { nvidia } from './providers/nvidia';
import { openai } from './providers/openai';
import { openrouter } from './providers/openrouter';
import { perplexity } from './providers/perplexity';
import { togetherai } from './providers/togetherai';
import { vertex } from './providers/vertex';
import { vertexAnthropic } from './providers/vertex-anthropic';
import { xai } from './providers/xai';
import { zai } from './providers/zai';

/** Every provider that Tollgate knows without configuration, by id, complete with default quirks. */
export const builtInProviders: readonly ProviderDefinition[] = [
  alibaba,
  anthropic,
  azure,
  azureAnthropic,
  bedrock,
  bedrockOpenai,
  cerebras,
  cohere,
  deepseek,
  fireworks,
  google,
  groq,
  mistral,
  moonshot,
  nvidia,
  openai,
  openrouter,
  perplexity,
  togetherai,
  vertex,
  vertexAnthropic,
  xai,
  zai,
].map((provider) => providerDefinition.parse(provider));
