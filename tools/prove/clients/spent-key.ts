import type { Stack } from '../../stack/stack';

const quotaTokens = 200_000;
const model = 'mistral/mistral-large-4';

/**
 * A key whose quota is used up but for less than an agent's smallest request, which was once within the whole
 * of it.
 */
export async function spentKey(stack: Stack): Promise<string> {
  const { apiKey } = await stack.createKey({ name: 'spent', plan: 'enterprise', rpm: null, quotaTokens });
  for (const tokens of [100_000, 99_500]) {
    const response = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: `Talk. [[sandbox: tokens=${tokens}]]` }],
      }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`A quota could not be used up: ${response.status}`);
  }
  return apiKey;
}
