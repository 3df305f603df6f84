import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageEvent } from '@tollgate/contracts';
import { catalogSubjects } from '@tollgate/contracts/catalog';
import {
  healthReport,
  healthSubjects,
  inferenceAnnouncement,
  type HealthReport,
  type InferenceAnnouncement,
} from '@tollgate/contracts/inference';
import { connectToNats, NatsGenerationClient, publishJson, subscribeJson } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import {
  answerJson,
  beginStream,
  chatEnding,
  chatUsage,
  chatWords,
  eventually,
  goodChat,
  silence,
  startNatsServer,
  startScriptedUpstream,
  streamWords,
  type NatsServer,
  type ScriptedUpstream,
} from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { aModel, aProvider, aSnapshot } from './testing/fixtures';
import {
  ask,
  collectUsage,
  FakeCatalog,
  runInstance,
  type HeardAnswer,
  type RunningInstance,
} from './testing/running-instance';

const logger = createLogger('test', 'silent');

describe('the inference service over a real NATS', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let client: NatsGenerationClient;
  let upstream: ScriptedUpstream;
  let usage: UsageEvent[];
  const instances: RunningInstance[] = [];

  beforeEach(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'test', logger });
    usage = await collectUsage(connection);
    client = new NatsGenerationClient(connection, { logger });
    upstream = await startScriptedUpstream(goodChat());
  });

  afterEach(async () => {
    await Promise.all(instances.splice(0).map((instance) => instance.stop()));
    client.close();
    await connection.close();
    await upstream.stop();
    await nats.stop();
  });

  function snapshotOfUpstream(revision = 1): ReturnType<typeof aSnapshot> {
    return aSnapshot([aProvider({ baseUrl: `${upstream.url}/v1` })], [aModel()], revision);
  }

  async function start(environment: NodeJS.ProcessEnv = { ACME_API_KEY: 'key' }): Promise<RunningInstance> {
    const instance = await runInstance(nats.url, environment);
    instances.push(instance);
    return instance;
  }

  /** What an instance says that it is not ready for, once that `fits`. */
  async function missingOf(instance: RunningInstance, fits: (missing: string[]) => boolean): Promise<string[]> {
    for (;;) {
      const told = await fetch(`${instance.internalUrl}/readyz`).then(
        async (response) => (await response.json()) as { missing?: string[] },
        () => ({ missing: [] }),
      );
      if (fits(told.missing ?? [])) return told.missing ?? [];
      await sleep(20);
    }
  }

  async function eventsOf(count: number): Promise<UsageEvent[]> {
    await eventually(() => usage.length >= count);
    // Time for an event too many to show itself.
    await sleep(100);
    return usage;
  }

  /** Resolves when so many instances told a report that fits. */
  function toldBy(count: number, fits: (report: HealthReport) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const heard = new Set<string>();
      subscribeJson(connection, healthSubjects.report, healthReport, (report) => {
        if (fits(report)) heard.add(report.instance);
        if (heard.size === count) resolve();
      });
    });
  }

  async function settled(answer: HeardAnswer): Promise<HeardAnswer> {
    await answer.settled;
    return answer;
  }

  it('answers plain and streamed requests, each with one stored event', async () => {
    new FakeCatalog(connection, snapshotOfUpstream());
    await (
      await start()
    ).started;
    const plain = ask(client, 'plain');
    const streamed = ask(client, 'streamed', true);
    expect(await Promise.all([plain.settled, streamed.settled])).toEqual([true, true]);
    expect(plain).toMatchObject({ ended: true, failure: null, head: { status: 200 } });
    expect(streamed.text.endsWith('data: [DONE]\n\n')).toBe(true);
    for (const word of chatWords) expect(streamed.text).toContain(word);
    const events = await eventsOf(2);
    expect(events.map(({ id }) => id).sort()).toEqual(['plain', 'streamed']);
    const tokens = { input: chatUsage.prompt_tokens, output: chatUsage.completion_tokens };
    for (const event of events) expect(event).toMatchObject({ state: 'completed', usage: tokens });
  });

  it('closes the upstream when the caller leaves, and reports the call once', async () => {
    upstream.script = silence;
    new FakeCatalog(connection, snapshotOfUpstream());
    await (
      await start()
    ).started;
    const answer = ask(client, 'left');
    const visit = await upstream.visited(1);
    answer.handle?.cancel('caller_left');
    await visit.closed;
    expect(await answer.settled).toBe(true);
    expect(await eventsOf(1)).toMatchObject([{ id: 'left', state: 'cancelled', status: 499, usage: { output: 0 } }]);
  });

  it('waits for catalog, and is not ready before', async () => {
    const instance = await start();
    expect(await missingOf(instance, ({ length }) => length === 3)).toEqual(['started', 'catalog', 'accepting']);
    expect((await fetch(`${instance.internalUrl}/livez`)).status).toBe(200);
    new FakeCatalog(connection, snapshotOfUpstream());
    await instance.started;
    const readiness = await fetch(`${instance.internalUrl}/readyz`);
    expect([readiness.status, await readiness.json()]).toMatchObject([200, { status: 'ok' }]);
  });

  it('uses a changed catalog at once', async () => {
    const catalog = new FakeCatalog(connection, aSnapshot([], []));
    await (
      await start()
    ).started;
    expect((await settled(ask(client, 'before'))).ended).toBe(false);
    catalog.snapshot = snapshotOfUpstream(2);
    publishJson(connection, catalogSubjects.changed, { revision: 2 });
    let asked = 0;
    await eventually(async () => (await settled(ask(client, `changed-${asked++}`))).ended);
  });

  it('announces the providers that it can reach, and never their keys', async () => {
    const heard: InferenceAnnouncement[] = [];
    const raw: string[] = [];
    subscribeJson(
      connection,
      catalogSubjects.inferenceAnnouncement,
      inferenceAnnouncement,
      (one) => void heard.push(one),
    );
    connection.subscribe('>', { callback: (_error, message) => raw.push(Buffer.from(message.data).toString()) });
    new FakeCatalog(connection, aSnapshot([aProvider(), aProvider({ id: 'none', apiKeyEnv: ['NO_KEY'] })], [aModel()]));
    await (
      await start({ ACME_API_KEY: 'canary-key' })
    ).started;
    await eventually(() => heard.length > 0);
    expect(heard[0]).toMatchObject({ sandbox: false, providers: ['acme'] });
    expect(raw.join('')).not.toContain('canary-key');
  });

  it('finishes what runs when it is told to stop, and takes nothing new', async () => {
    let finish: () => void = () => undefined;
    const mayEnd = new Promise<void>((resolve) => (finish = resolve));
    upstream.script = async (visit) => {
      beginStream(visit);
      await streamWords(visit, chatWords);
      await mayEnd;
      visit.response.end(chatEnding());
    };
    new FakeCatalog(connection, snapshotOfUpstream());
    const first = await start();
    await first.started;
    const answer = ask(client, 'draining', true);
    await upstream.visited(1);
    const stopped = first.stop();
    instances.length = 0;
    await missingOf(first, (missing) => missing.includes('accepting'));
    const refused = await settled(ask(client, 'too-late'));
    finish();
    await Promise.all([answer.settled, stopped]);
    expect(answer).toMatchObject({ ended: true, failure: null });
    expect(refused.failure).toMatchObject({ status: 503 });
    expect((await eventsOf(1)).map(({ id, state }) => [id, state])).toEqual([['draining', 'completed']]);
  });

  it('counts what it does', async () => {
    new FakeCatalog(connection, snapshotOfUpstream());
    const instance = await start();
    await instance.started;
    await ask(client, 'counted').settled;
    await eventsOf(1);
    const read = async () => (await fetch(`${instance.internalUrl}/metrics`)).text();
    const metrics = await eventually(read, (text) => text.includes('tollgate_inference_pending_usage_events 0\n'));
    expect(metrics).toContain('tollgate_inference_attempts_total{provider="acme",outcome="completed"} 1');
    expect(metrics).toContain('tollgate_inference_in_flight 0');
    expect(metrics).toMatch(/tollgate_inference_generation_seconds_count\{surface="openai-chat",state="completed"\} 1/);
    expect(metrics).toContain('tollgate_inference_upstream_seconds_count{provider="acme"} 1');
    expect(metrics).toContain('tollgate_inference_upstream_first_byte_seconds_count{provider="acme"} 1');
    const tokens = (kind: string) => `tollgate_inference_tokens_total{provider="acme",model="acme/one",kind="${kind}"}`;
    expect(metrics).toContain(`${tokens('input')} ${chatUsage.prompt_tokens}`);
    expect(metrics).toContain(`${tokens('output')} ${chatUsage.completion_tokens}`);
  });

  it('tells how its deployments are within a second of a change, to operators and in its metrics', async () => {
    upstream.script = (visit) => answerJson(visit, 500, '{}');
    const heard: HealthReport[] = [];
    subscribeJson(connection, healthSubjects.report, healthReport, (report) => void heard.push(report));
    new FakeCatalog(connection, snapshotOfUpstream());
    const instance = await start();
    await instance.started;
    for (let number = 0; number < 5; number += 1) await ask(client, `failing-${number}`).settled;
    const isOpen = ({ deployments }: HealthReport): boolean => deployments[0]?.state === 'open';
    await eventually(() => heard.some(isOpen), 1_500);
    expect(heard.at(-1)?.deployments).toMatchObject([
      { deployment: 'acme/one@acme', provider: 'acme', state: 'open', timesOpened: 1, concurrencyLimit: null },
    ]);
    const metrics = await (await fetch(`${instance.internalUrl}/metrics`)).text();
    expect(metrics).toContain('tollgate_inference_breaker_state{provider="acme",deployment="acme/one@acme"} 2');
    expect(metrics).toContain('tollgate_inference_breaker_opened_total{provider="acme",deployment="acme/one@acme"} 1');
    const refused = ask(client, 'refused');
    await refused.settled;
    expect(refused.failure).toMatchObject({ status: 503, retryAfterS: expect.any(Number) });
    expect(refused.attempts).toEqual([]);
  });

  it('sends nothing to a deployment that an operator closed, whichever instance is asked, also after a restart', async () => {
    const catalog = new FakeCatalog(connection, snapshotOfUpstream());
    const instancesHere = [await start(), await start()];
    await Promise.all(instancesHere.map(({ started }) => started));
    expect((await settled(ask(client, 'before'))).head?.status).toBe(200);
    const hold = { state: 'closed' as const, reason: 'a leak', by: 'cli:ada', since: 1, until: null };
    const told = toldBy(2, ({ deployments }) => deployments.some(({ held }) => held?.reason === 'a leak'));
    catalog.snapshot = { ...snapshotOfUpstream(2), held: [{ deployment: 'acme/one@acme', ...hold }] };
    publishJson(connection, catalogSubjects.changed, { revision: 2 });
    await told;
    await instances.shift()?.stop();
    await (
      await start()
    ).started;
    for (let count = 0; count < 8; count += 1) {
      const { failure } = await settled(ask(client, `closed-${count}`));
      expect(failure).toMatchObject({ status: 503, retryAfterS: 60 });
      expect(failure?.message).toMatch(/^The operator of this gateway has taken the places of acme\/one out of/);
    }
    expect(upstream.visits).toHaveLength(1);
    expect((await eventsOf(1)).map(({ id }) => id)).toEqual(['before']);
    const opened = toldBy(2, ({ deployments }) => deployments.every(({ held }) => held === null));
    catalog.snapshot = snapshotOfUpstream(3);
    publishJson(connection, catalogSubjects.changed, { revision: 3 });
    await opened;
    expect((await settled(ask(client, 'after'))).head?.status).toBe(200);
  });

  it('sheds what it has no room for: another instance takes it, and when all are full the caller hears so at once', async () => {
    upstream.script = silence;
    new FakeCatalog(connection, snapshotOfUpstream());
    const room = { ACME_API_KEY: 'key', INFERENCE_MAX_IN_FLIGHT: '1' };
    for (let count = 0; count < 2; count += 1) {
      const instance = await start(room);
      await instance.started;
    }
    // The one that is busy may be asked first, and be the only one that was heard of.
    const patient = new NatsGenerationClient(connection, { busyGraceMs: 60_000, offerTimeoutMs: 60_000, logger });
    const running = [ask(patient, 'one'), ask(patient, 'two')];
    await upstream.visited(2);
    const shed = ask(client, 'three');
    await shed.settled;
    expect(shed.failure).toMatchObject({ code: 'overloaded', status: 503, retryAfterS: expect.any(Number) });
    expect(upstream.visits).toHaveLength(2);
    for (const { handle } of running) handle?.cancel('caller_left');
    await Promise.all(running.map(({ settled }) => settled));
    patient.close();
  });

  it('answers from the simulated provider of the dialect when there is no key, and says so', async () => {
    new FakeCatalog(connection, snapshotOfUpstream());
    await (
      await start({ TOLLGATE_SANDBOX_URL: upstream.url })
    ).started;
    const answer = ask(client, 'simulated');
    await answer.settled;
    expect(answer.head?.headers['x-gateway-sandbox']).toBe('true');
    expect(upstream.visits[0]?.path).toBe('/openai-chat/chat/completions');
    expect(upstream.visits[0]?.headers.authorization).toBeUndefined();
  });

  it('asks a server of the operator itself, also where it needs no key, while the sandbox stands in for the others', async () => {
    const sandbox = await startScriptedUpstream(goodChat());
    const house = aProvider({ id: 'house', baseUrl: `${upstream.url}/v1`, apiKeyEnv: [], operatorDefined: true });
    const own = aModel({ provider: 'house', deployments: [{ id: 'own', provider: 'house', upstreamModel: 'one' }] });
    new FakeCatalog(connection, aSnapshot([aProvider(), house], [own]));
    const instance = await start({ TOLLGATE_SANDBOX_URL: sandbox.url });
    await instance.started;
    const answer = ask(client, 'own');
    await answer.settled;
    expect(answer.head?.headers).toMatchObject({ 'x-gateway-provider': 'house' });
    expect(answer.head?.headers['x-gateway-sandbox']).toBeUndefined();
    expect([upstream.visits.length, sandbox.visits.length]).toEqual([1, 0]);
    await sandbox.stop();
  });
});
