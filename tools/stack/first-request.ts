import { catalogOperations } from '@tollgate/contracts';
import OpenAI from 'openai';
import type { Stack } from './stack';
import { StackError } from './stack-error';

/** The model of the first request: known to many, and cheap. Another one is taken when it is not live. */
const preferredModel = 'openai/gpt-5.4-mini';

export interface FirstLook {
  sandbox: boolean;
  /** A live model for a first request; null when none is. */
  model: string | null;
}

/** Asks catalog which models are live and whether simulated providers answer for them. */
export async function lookAtCatalog(stack: Stack): Promise<FirstLook> {
  const snapshot = await stack.call(catalogOperations.snapshot, {});
  const live = snapshot.models.filter(({ id, kind }) => kind === 'generation' && snapshot.available.includes(id));
  const model = live.find(({ id }) => id === preferredModel) ?? live[0];
  return { sandbox: snapshot.sandbox, model: model?.id ?? null };
}

/** The key of the last start where it still works, else a new one of the beta plan. */
export async function firstKey(stack: Stack, lastKey: string | null): Promise<string> {
  if (lastKey && (await isAccepted(stack.baseUrl, lastKey))) return lastKey;
  return (await stack.createKey({ name: 'first key', plan: 'beta' })).apiKey;
}

async function isAccepted(baseUrl: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.body?.cancel();
  return response.status !== 401 && response.status !== 403;
}

/**
 * Proves the way from end to end with one chat completion.
 * @throws StackError when it does not answer.
 */
export async function firstCompletion(baseUrl: string, apiKey: string, model: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 2 });
  try {
    const { choices } = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello' }] });
    return choices[0]?.message.content ?? '';
  } catch (error) {
    // A used-up quota or minute is no fault of the stack: the key of an earlier start may be at its limit.
    if (error instanceof OpenAI.RateLimitError) return error.message;
    throw new StackError(`The first completion failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
