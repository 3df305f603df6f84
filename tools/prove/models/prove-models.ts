import { catalogOperations } from '@tollgate/contracts/catalog';
import type { CatalogModel, CatalogSnapshot } from '@tollgate/contracts/catalog';
import { callers, type ReadAnswer, type SurfaceCaller } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { settledRows } from '../ledger/settled-rows';
import { SimulatedProvider } from '../simulated-provider';
import { beyond } from './beyond';
import { bookedWrong } from './booked-wrong';

/**
 * What every model is asked on every surface, in two turns, of which the next model of the catalog that
 * offers it answers the second. `beyond`: what a client asks for that knows no model's limits.
 */
const kinds = ['plain', 'stream', 'tools', 'reasoning', 'structured', 'cached', 'beyond'] as const;
type Kind = (typeof kinds)[number];
type Body = Record<string, unknown>;

export interface ModelsProof {
  models: number;
  requests: number;
  /** Kinds that a model does not offer, and that it was not asked for. */
  notOffered: number;
  /** How often something was left out and told so. */
  warned: number;
  /** A sentence each: refused, silently dropped, or not what was asked for. */
  refused: string[];
  /**
   * A sentence each: tokens or nano-dollars that differ between the provider's books, the ledger and the
   * price.
   */
  wrongSums: string[];
}

/** One conversation: the model that begins it, the one that goes on, and how. */
interface Talk {
  kind: Kind;
  caller: SurfaceCaller;
  models: [CatalogModel, CatalogModel];
}

const lanes = 8;
/** How often a request is sent that finds no room. */
const mostTries = 5;
/** Longer than any provider's least prefix for its cache. */
const longText = 'The river keeps what the mountain gives. '.repeat(400);

/**
 * Asks every live model whose id has `pattern` in it, in every kind and on every surface, and compares the
 * books.
 */
export async function proveModels(stack: Stack, pattern: string): Promise<ModelsProof> {
  const snapshot = await stack.call(catalogOperations.snapshot, {});
  const models = liveModels(snapshot).filter(({ id }) => id.includes(pattern));
  const { apiKey, key } = await stack.createKey({ name: 'models', plan: 'enterprise', rpm: null, quotaTokens: null });
  const run = `models-${Date.now().toString(36)}`;
  const proof: ModelsProof = {
    models: models.length,
    requests: 0,
    notOffered: 0,
    warned: 0,
    refused: [],
    wrongSums: [],
  };
  const talks = models.flatMap((model) =>
    callers.flatMap((caller) =>
      kinds.flatMap((kind): Talk[] => {
        const next = nextOf(models, model, kind);
        if (next) return [{ kind, caller, models: [model, next] }];
        proof.notOffered += 1;
        return [];
      }),
    ),
  );
  const asked = new Map<string, CatalogModel>();
  const post = async (surface: SurfaceCaller['surface'], model: CatalogModel, body: Body): Promise<Response> => {
    for (let tries = 1; ; tries++) {
      const id = `${run}-${++proof.requests}`;
      const response = await fetch(stack.baseUrl + paths[surface], {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-request-id': id },
        body: JSON.stringify({ ...body, model: model.id }),
      });
      if (response.headers.has('x-gateway-warnings')) proof.warned += 1;
      if (response.ok) asked.set(id, model);
      // A machine that is too busy says so.
      if (response.status !== 503 || tries === mostTries) return response;
      await response.arrayBuffer();
      await delay(1_000 * tries);
    }
  };
  const lane = async (): Promise<void> => {
    for (let talk = talks.pop(); talk; talk = talks.pop()) {
      const problem = await held(talk, snapshot, post).catch((error: unknown) => String(error));
      if (problem !== null)
        proof.refused.push(
          `${talk.models.map(({ id }) => id).join(' > ')} ${talk.caller.surface} ${talk.kind}: ${problem}`,
        );
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const rows = await settledRows(stack, new SimulatedProvider(stack.sandboxUrl ?? ''), run, key.id);
  proof.wrongSums = await bookedWrong(stack.databaseUrl, run, rows, asked);
  return proof;
}

const paths: Record<SurfaceCaller['surface'], string> = {
  'openai-chat': '/v1/chat/completions',
  'anthropic-messages': '/v1/messages',
  'openai-responses': '/v1/responses',
};

function liveModels({ models, available }: CatalogSnapshot): CatalogModel[] {
  const live = new Set(available);
  return models.filter(({ id, kind }) => kind === 'generation' && live.has(id));
}

/**
 * The next model that offers what this one is asked for, itself where it is the only one; null: this one does
 * not offer it.
 */
function nextOf(models: readonly CatalogModel[], model: CatalogModel, kind: Kind): CatalogModel | null {
  const offers = ({ capabilities: { tools, reasoning, structuredOutput } }: CatalogModel): boolean =>
    ({ plain: true, stream: true, cached: true, tools, reasoning, structured: structuredOutput, beyond: tools })[kind];
  if (!offers(model)) return null;
  const others = models.filter(offers);
  return others[(others.indexOf(model) + 1) % others.length] ?? null;
}

/** Holds one conversation. Null: everything that was asked for came; else what did not. */
async function held(
  { kind, caller, models: [first, second] }: Talk,
  snapshot: CatalogSnapshot,
  post: (surface: SurfaceCaller['surface'], model: CatalogModel, body: Body) => Promise<Response>,
): Promise<string | null> {
  const stream = kind === 'stream';
  const wishes = {
    stream,
    ...((kind === 'tools' || kind === 'beyond') && { tools: ['look_up'] }),
    ...(kind === 'reasoning' && { reasons: true }),
    ...(kind === 'structured' && { schema: true }),
  };
  const said = { tools: '[[sandbox: calls=1]] work', cached: `${longText} Hello.` }[kind as string] ?? 'hello there';
  const body = kind === 'cached' ? marked(caller.ask(said, wishes)) : caller.ask(said, wishes);
  const turn = async (model: CatalogModel, asked: Body): Promise<ReadAnswer | string> => {
    const said = kind === 'beyond' ? { ...asked, ...beyond(caller.surface, model, snapshot) } : asked;
    const response = await post(caller.surface, model, asIts(model, said));
    const text = await response.text();
    if (!response.ok) return `${response.status} ${text.slice(0, 300)}`;
    if (kind === 'reasoning' && !showsReasoning(text) && !response.headers.has('x-gateway-warnings'))
      return 'it did not reason, and nothing said so';
    return caller.read(text, stream);
  };
  const answer = await turn(first, body);
  if (typeof answer === 'string') return answer;
  if (kind === 'beyond') {
    const other = await turn(second, body);
    return typeof other === 'string' ? `the second model: ${other}` : null;
  }
  if (kind === 'tools' && answer.calls.length === 0) return 'the tool was not called';
  const missed = kind === 'tools' ? null : missedIn(answer, kind);
  if (missed !== null) return missed;
  const goneOn =
    kind === 'tools' ? caller.goOn(body, answer, ({ name }) => `${name}!`) : askedAgain(body, answer.message);
  const last = await turn(second, goneOn);
  if (typeof last === 'string') return `the second turn: ${last}`;
  if (kind === 'tools' && !last.text.includes('look_up!'))
    return `the result did not arrive: ${last.text.slice(0, 100)}`;
  const missedLast = missedIn(last, kind);
  return missedLast === null ? null : `the second turn: ${missedLast}`;
}

function missedIn({ text }: ReadAnswer, kind: Kind): string | null {
  if (text === '') return 'an empty answer';
  return kind === 'structured' && !isForm(text) ? `no answer by the schema: ${text.slice(0, 100)}` : null;
}

/** True where an answer has thoughts in it, or tells how many tokens they took. */
function showsReasoning(answer: string): boolean {
  return /"type":"(?:redacted_)?thinking"|"reasoning_content":"|"type":"reasoning"|"(?:reasoning|thinking)_tokens":[1-9]/.test(
    answer,
  );
}

/**
 * Marks what the messages surface may have cached; the others have it cached unasked. The second turn has a
 * question of its own.
 */
function marked(body: Body): Body {
  if (typeof body.system !== 'string') return body;
  const part = { type: 'text', text: body.system + longText, cache_control: { type: 'ephemeral' } };
  return { ...body, system: [part] };
}

/** The conversation with what was answered and one more question. */
function askedAgain(body: Body, message: object[]): Body {
  const history = 'messages' in body ? 'messages' : 'input';
  const before: unknown[] = Array.isArray(body[history]) ? body[history] : [];
  return { ...body, [history]: [...before, ...message, { role: 'user', content: 'And then?' }] };
}

/**
 * What a client knows of a model. Claude models of the newer kind take no budget of thinking.
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
 */
function asIts({ id }: CatalogModel, body: Body): Body {
  const isAdaptive = /claude-(?:opus-4-[6-9]|sonnet-4-6|\w+-5)/.test(id.replaceAll('.', '-'));
  return isAdaptive && 'thinking' in body ? { ...body, thinking: { type: 'adaptive' } } : body;
}

function isForm(text: string): boolean {
  try {
    const { city, size } = JSON.parse(text) as { city?: unknown; size?: unknown };
    return typeof city === 'string' && typeof size === 'number';
  } catch {
    return false;
  }
}
