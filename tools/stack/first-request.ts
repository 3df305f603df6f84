import { catalogOperations, simulatedModels } from '@tollgate/contracts/catalog';
import type { CatalogSnapshot, ProviderDefinition } from '@tollgate/contracts/catalog';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Stack } from './stack';
import { StackError } from './stack-error';

/** The model of the first request: known to many, and cheap. Another one is taken when it is not live. */
const preferredModel = 'openai/gpt-5.4-mini';

/**
 * Who answers: providers by name. `own` are those that the operator's file adds, `simulated` counts live
 * models of the sandbox.
 */
export interface WhoAnswers {
  own: string[];
  charging: string[];
  simulated: number;
}

export interface FirstLook extends WhoAnswers {
  /** A live model for a first request, a real one where there is one; null when none is live. */
  model: string | null;
  isModelSimulated: boolean;
  providers: readonly ProviderDefinition[];
}

/** Asks catalog which models are live, and who answers for them. */
export async function lookAtCatalog(stack: Stack): Promise<FirstLook> {
  return firstLook(await stack.call(catalogOperations.snapshot, {}));
}

/** What a snapshot says of who answers. */
export function firstLook(snapshot: CatalogSnapshot): FirstLook {
  const invented = simulatedModels(snapshot);
  const live = snapshot.models.filter(({ id }) => snapshot.available.includes(id));
  const real = live.filter(({ id }) => !invented.has(id));
  const asked = new Set(real.flatMap(({ deployments }) => deployments.map(({ provider }) => provider)));
  const isReal = ({ id, operatorDefined }: ProviderDefinition) =>
    asked.has(id) && (operatorDefined || !snapshot.sandbox);
  const providers = snapshot.providers.filter(isReal);
  const names = (own: boolean) =>
    providers.filter(({ operatorDefined }) => operatorDefined === own).map(({ name }) => name);
  const candidates = (real.length > 0 ? real : live).filter(({ kind }) => kind === 'generation');
  const model = candidates.find(({ id }) => id === preferredModel) ?? candidates[0];
  return {
    own: names(true),
    charging: names(false),
    simulated: live.length - real.length,
    model: model?.id ?? null,
    providers: snapshot.providers,
    isModelSimulated: model !== undefined && invented.has(model.id),
  };
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

const attempts = 3;
const completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string().nullable() }) })]),
});

/**
 * Proves the way from end to end with one chat completion.
 * @throws StackError when it does not answer.
 */
export async function firstCompletion(baseUrl: string, apiKey: string, model: string): Promise<string> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${baseUrl}/v1/chat/completions`, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.ok) return completion.parse(JSON.parse(text)).choices[0].message.content ?? '';
    // A used-up quota or minute is no fault of the stack: the key of an earlier start may be at its limit.
    if (response.status === 429) return text;
    if (attempt === attempts || response.status < 500)
      throw new StackError(`The first completion failed: ${response.status} ${text}`);
    await delay(attempt * 500);
  }
}
