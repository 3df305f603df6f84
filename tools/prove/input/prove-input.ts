import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { Chance } from '@tollgate/testing';
import { Pool } from 'undici';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { modelPerDialect } from '../urls/prove-urls';
import { Person } from '../web/person';
import { readEndpoints } from './endpoints';
import { RequestMaker } from './requests';
import type { HostileRequest } from './requests';

export interface InputPlan {
  requests: number;
  /** Requests at once. */
  lanes: number;
  seed: number;
  onProgress: (line: string) => void;
}

export interface InputProof {
  requests: number;
  endpoints: number;
  byStatus: Record<string, number>;
  /** At most fifty. */
  faults: string[];
  faultCount: number;
  /** Processes that ended while they were asked, and lines of logs that tell of a fault of ours. */
  crashes: string[];
  seconds: number;
  /**
   * Answers 503 with Retry-After that were no 503 when the same was asked again: the machine was too busy,
   * and the input had no part in it.
   */
  shed: number;
}

const mostFaults = 50;
/** How often a request is sent that is answered 503: for more than half a minute, as a busy machine needs. */
const mostTries = 10;
const longestWaitMs = 5_000;
const password = 'a password for the proof of input';

/**
 * Sends hostile requests to every endpoint of a running stack, as a caller with a key, a person and an
 * administrator.
 */
export async function proveInput(stack: Stack, plan: InputPlan): Promise<InputProof> {
  const startedAt = Date.now();
  const chance = new Chance(plan.seed);
  const { endpoints, shapes } = await readEndpoints(stack.baseUrl);
  const { apiKey, visitor, people, surroundings } = await settle(stack);
  const maker = new RequestMaker(endpoints, shapes, surroundings, chance);
  const pool = new Pool(stack.baseUrl, { connections: plan.lanes, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const proof: InputProof = {
    ...{
      requests: 0,
      endpoints: endpoints.length,
      byStatus: {},
      faults: [],
      faultCount: 0,
      crashes: [],
      seconds: 0,
      shed: 0,
    },
  };
  const pids = pidsOf(stack);
  const note = (request: HostileRequest, fault: string): void => {
    proof.faultCount += 1;
    const line = `${request.method} ${request.target.slice(0, 200)} ${String(request.body).slice(0, 400)}\n    ${fault}`;
    plan.onProgress(line);
    if (proof.faults.length < mostFaults) proof.faults.push(line);
  };
  const lane = async (): Promise<void> => {
    while (proof.requests < plan.requests) {
      proof.requests += 1;
      if (proof.requests % 5_000 === 0) plan.onProgress(`${proof.requests} requests, ${proof.faultCount} faults`);
      const request = maker.next();
      // Whoever signs out has no session any more: that is left to visitors.
      const person = request.target.includes('sign-out') ? visitor : chance.pick(people);
      const own = request.isDashboard
        ? person.headers(request.method !== 'GET')
        : { authorization: `Bearer ${apiKey}` };
      const fault = await send(pool, request, { ...own, ...request.headers }, proof);
      if (fault) note(request, fault);
    }
  };
  await Promise.all(Array.from({ length: plan.lanes }, lane));
  await pool.close();
  const after = pidsOf(stack);
  proof.crashes = [
    ...Object.keys(pids)
      .filter((name) => pids[name] !== after[name])
      .map((name) => `${name} ended`),
    ...errorLines(stack),
  ];
  proof.seconds = (Date.now() - startedAt) / 1_000;
  return proof;
}

/** Sends one and counts its status; resolves with what is wrong with the answer. */
async function send(
  pool: Pool,
  request: HostileRequest,
  headers: Record<string, string>,
  proof: InputProof,
  tries = 1,
): Promise<string | null> {
  const { byStatus } = proof;
  const { method, target, body } = request;
  try {
    const response = await pool.request({ method, path: target || '/', headers, body });
    const text = await response.body.text();
    if (response.statusCode === 503 && response.headers['retry-after'] && tries < mostTries) {
      await delay(Math.min(1_000 * tries, longestWaitMs));
      const again = await send(pool, request, headers, proof, tries + 1);
      if (again === null) proof.shed += 1;
      return again;
    }
    byStatus[response.statusCode] = (byStatus[response.statusCode] ?? 0) + 1;
    return faultOf(method, { status: response.statusCode, headers: response.headers, text });
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'none';
    byStatus[code] = (byStatus[code] ?? 0) + 1;
    // The client itself refuses to send some of what was made, and a refused upload may be cut while it is
    // still sent.
    if (['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'].includes(code)) return null;
    return `no answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * A key without limits; a visitor, an administrator and a person; and what exists for requests to name, which
 * is nobody's who asks.
 */
async function settle(stack: Stack) {
  const people = [
    await Person.firstAdministrator(stack, 'administrator@example.org', password),
    await Person.signUp(stack, 'Person', 'person@example.org', password, 'to be asked'),
  ];
  const email = 'victim@example.org';
  await Person.signUp(stack, 'Victim', email, password, 'to be named');
  for (const account of ['person@example.org', email])
    await stack.call(accountsOperations.setAccountStatus, { account, status: 'active', plan: 'pro' });
  const limits = { plan: 'enterprise', rpm: null, quotaTokens: null };
  const { apiKey } = await stack.createKey({ name: 'input', ...limits });
  const victim = await stack.createKey({ name: 'victim', email, ...limits });
  const words = [
    ...[victim.key.id, victim.key.accountId, email, 'day', 'hour', 'pro', 'a name', 'openai', 'fleet', '1', 'UTC'],
    ...['2026-01-01T00:00:00Z', String(Date.now()), String(Date.now() - 3_600_000)],
  ];
  const visitor = await Person.visitor(stack);
  return { apiKey, visitor, people, surroundings: { words, models: await modelPerDialect(stack) } };
}

function pidsOf(stack: Stack): Record<string, number | null> {
  return Object.fromEntries([...stack.processes].map(([name, { pid }]) => [name, pid]));
}

/** What services logged as their own fault (pino's levels error and fatal). */
function errorLines(stack: Stack): string[] {
  return [...stack.processes.values()].flatMap(({ name, logFile, internalUrls }) =>
    internalUrls.length === 0
      ? []
      : readFileSync(logFile, 'utf8')
          .split('\n')
          .filter((line) => /"level":(50|60)\b/.test(line))
          .slice(0, 5)
          .map((line) => `${name}: ${line.slice(0, 600)}`),
  );
}

/** The error object of the API; surfaces may add to it in their own dialect. */
const errorBody = z.object({
  error: z.object({ message: z.string().min(1), type: z.string().min(1), code: z.number().int() }),
});

/** An answer to a hostile request. */
interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/**
 * Why an answer breaks the promise that bad input is the caller's affair and told in the API's own form;
 * null: it does not.
 */
function faultOf(method: string, { status, headers, text }: Answer): string | null {
  if (status >= 500) return `${status}: ${text.slice(0, 300)}`;
  if (typeof headers['x-request-id'] !== 'string' && status !== 400) return `${status} without x-request-id`;
  if (headers['x-injected'] !== undefined) return 'a header of the caller came back';
  if (status < 400 || method === 'HEAD') return null;
  const parsed = errorBody.safeParse(jsonOrNull(text));
  if (!parsed.success) return `${status} without an error object: ${text.slice(0, 300)}`;
  return parsed.data.error.code === status ? null : `${status} says that it is ${parsed.data.error.code}`;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
