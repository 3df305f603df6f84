import { nearestName } from '@tollgate/configuration';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import type { ProviderCheck } from '@tollgate/contracts/inference';
import { askServer, type ServerAnswer } from '../discovery/ask-server';
import { listingOf, modelListPath, readModelList } from '../discovery/read-model-list';
import { codeOf, plainReason } from '../upstream/plain-reason';
import { withKey, type ProviderEndpoint } from '../upstream/provider-endpoint';
import { saidIn } from '../upstream/said-in';

const listTimeoutMs = 5_000;
/** A model may have to be loaded first. */
const tokenTimeoutMs = 60_000;
/** How many valid names are told. */
const shownNames = 8;

/**
 * `models`: what the catalog calls its models there. `token` false: none is asked for, so that it costs
 * nothing.
 */
export interface CheckedProvider {
  endpoint: ProviderEndpoint;
  models: readonly string[];
  token: boolean;
}

/**
 * Asks a provider for its models and for one token, with each of its keys, and says in one line what is wrong
 * and what would be right. Never rejects.
 */
export async function checkProvider({ endpoint, ...looked }: CheckedProvider): Promise<ProviderCheck> {
  const { pool } = endpoint;
  if (pool.length === 0) return checkKey({ endpoint, ...looked });
  const checks = await Promise.all(pool.map((key) => checkKey({ endpoint: withKey(endpoint, key), ...looked })));
  const [first] = checks;
  const told = new Set(checks.map(({ says }) => says));
  const each = checks.map(({ says }, index) => `key ${index + 1}: ${says}`);
  const says = told.size === 1 && first ? `${first.says}, with each of ${pool.length} keys` : each.join('; ');
  const { id: provider } = endpoint.provider;
  return { provider, url: endpoint.origin + endpoint.basePath, ok: checks.every(({ ok }) => ok), says };
}

async function checkKey({ endpoint, models, token }: CheckedProvider): Promise<ProviderCheck> {
  const { provider, origin, basePath, simulated } = endpoint;
  const found = (ok: boolean, says: string): ProviderCheck => ({
    provider: provider.id,
    url: origin + basePath,
    ok,
    says,
  });
  if (simulated) return found(true, 'the sandbox answers in its place');
  const list = await listOf(listingOf(endpoint));
  if ('problem' in list) return found(false, list.problem);
  const { names } = list;
  const unknown = names && models.filter((model) => !isListed(model, names));
  if (names && unknown?.length) return found(false, unknown.map((model) => wrongName(model, names)).join('; '));
  const model = models[0] ?? names?.[0];
  const listed = names ? `lists ${names.length} ${names.length === 1 ? 'model' : 'models'}` : 'has no list of models';
  if (model === undefined) return found(true, `${listed}; the catalog has no model of it`);
  // Other formats are those of providers in the cloud, whose addresses nobody types.
  if (!token || provider.dialect !== 'openai-chat') return found(true, listed);
  const refusal = await askForToken(endpoint, model);
  return refusal === null
    ? found(true, `${listed}; ${model} gave a token`)
    : found(false, `${listed}, but ${model} gave no token: ${refusal}`);
}

/** `names` null: it answers, but has no list, as some providers have none. */
async function listOf(endpoint: ProviderEndpoint): Promise<{ names: string[] | null } | { problem: string }> {
  const { origin, basePath, provider } = endpoint;
  const asked = `GET ${origin}${basePath}/models`;
  const path = modelListPath(provider.dialect);
  const answer = await ask(endpoint, path, listTimeoutMs);
  if (typeof answer === 'string') return { problem: `${asked}: ${answer}${otherSchemeOf(origin, answer)}` };
  const { status, text } = answer;
  const names = status === 200 ? namesIn(text) : null;
  if (names) return { names };
  const said = `${asked} answered ${status}${saidIn(text, endpoint)}`;
  if (status === 401 || status === 403)
    return {
      problem: `${said}; its key is ${keyOf(provider)}`,
    };
  if (/\bhttps\b/i.test(text) && origin.startsWith('http:')) return { problem: `${said}; write https in its base URL` };
  const otherPath = basePath.endsWith('/v1') ? basePath.slice(0, -3) : `${basePath}/v1`;
  const elsewhere = await ask({ ...endpoint, basePath: otherPath }, path, listTimeoutMs);
  if (typeof elsewhere !== 'string' && elsewhere.status === 200 && namesIn(elsewhere.text))
    return { problem: `${said}; its base URL is ${origin}${otherPath}` };
  return status === 404 || status === 405 ? { names: null } : { problem: said };
}

/** Where a refused key comes from, in words. */
function keyOf({ apiKeyEnv, sealedKeys }: ProviderDefinition): string {
  const given = sealedKeys?.map(({ name }) => name).join(' or ');
  const named = apiKeyEnv.join(' or ');
  if (given) return named ? `that of ${named}, or the given one (${given})` : `the given one (${given})`;
  return `that of ${named || 'nobody: apiKeyEnv is empty'}`;
}

/**
 * llama.cpp waits for the rest of what it takes for a request where it is spoken to in TLS, and answers
 * nothing.
 */
function otherSchemeOf(origin: string, reason: string): string {
  const isSilent = origin.startsWith('https:') && reason.includes('TimeoutError');
  return isSilent ? '; does it speak http instead of https?' : '';
}

/** Null: it gave one. */
async function askForToken(endpoint: ProviderEndpoint, model: string): Promise<string | null> {
  const { provider } = endpoint;
  const limit = provider.quirks.maxTokensField ?? 'max_tokens';
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], [limit]: 1 };
  const answer = await ask(endpoint, '/chat/completions', tokenTimeoutMs, body);
  if (typeof answer === 'string') return answer;
  if (answer.status === 200) return null;
  return `POST ${endpoint.origin}${endpoint.basePath}/chat/completions answered ${answer.status}${saidIn(answer.text, endpoint)}`;
}

/** The answer, or in words why there is none. */
async function ask(
  endpoint: ProviderEndpoint,
  path: string,
  timeoutMs: number,
  body?: object,
): Promise<ServerAnswer | string> {
  try {
    return await askServer(endpoint, path, timeoutMs, body);
  } catch (error) {
    return plainReason(codeOf(error), endpoint.origin);
  }
}

function namesIn(text: string): string[] | null {
  return readModelList(text)?.map(({ name }) => name) ?? null;
}

/**
 * Ollama takes a name without a tag for that of the latest:
 * https://github.com/ollama/ollama/blob/v0.17.4/docs/api.md#model-names
 */
function isListed(model: string, names: readonly string[]): boolean {
  return names.includes(model) || names.includes(`${model}:latest`);
}

function wrongName(model: string, names: readonly string[]): string {
  const nearest = nearestName(model, [...names]);
  const meant = nearest ? `; did you mean ${nearest}?` : '.';
  const shown = names.slice(0, shownNames).join(', ') + (names.length > shownNames ? ', …' : '');
  return `it has no model ${model}${meant} It has: ${shown || 'none'}`;
}
