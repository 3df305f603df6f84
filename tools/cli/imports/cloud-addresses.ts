/** Where Bedrock is asked in a region. */
export function bedrockAddress(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com`;
}

/** Where a resource of Azure is asked by its v1 API, or Claude there in its own format. */
export function azureAddress(endpoint: URL, format: 'openai' | 'anthropic'): string {
  return `${endpoint.origin}/${format}/v1`;
}

/**
 * Where Vertex AI is asked: its usual address with what is named put in. Undefined stays as it is, a variable
 * of inference and the global location.
 */
export function vertexAddress(usual: string, project: string | undefined, location: string | undefined): string {
  const address = project === undefined ? usual : usual.replace('{project}', project);
  if (location === undefined || location === 'global') return address;
  return address
    .replace('https://aiplatform.', `https://${location}-aiplatform.`)
    .replace('/locations/global/', `/locations/${location}/`);
}
