/**
 * Our ids of providers whose name in the semantic conventions is another:
 * https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/#gen-ai-provider-name
 */
const wellKnown: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  'azure-anthropic': 'azure.ai.inference',
  bedrock: 'aws.bedrock',
  'bedrock-openai': 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  'vertex-anthropic': 'gcp.vertex_ai',
  xai: 'x_ai',
};

/** The value of `gen_ai.provider.name`. */
export function conventionalProviderName(id: string): string {
  return wellKnown[id] ?? id;
}
