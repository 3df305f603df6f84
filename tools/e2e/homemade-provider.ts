import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a tollgate.yaml with one provider of one model, `homemade/tiny`, at the address of an upstream, and
 * with `more` sections. Returns the variables of a stack that asks it with this key, and no simulated
 * provider.
 */
export function homemadeProvider(folder: string, upstreamUrl: string, apiKey: string, more = '') {
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(
    config,
    `
providers:
  - { id: homemade, name: Homemade, dialect: openai-chat, baseUrl: '${upstreamUrl}/v1', apiKeyEnv: HOMEMADE_API_KEY }
models:
  - { id: homemade/tiny, provider: homemade, upstreamModel: tiny-1, prices: { input: '1', output: '2' } }
${more}`,
  );
  return { TOLLGATE_SANDBOX: 'off', TOLLGATE_CONFIG: config, HOMEMADE_API_KEY: apiKey };
}
