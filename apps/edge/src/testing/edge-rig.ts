import { connectToNats, ControlClient, ensureUsageStreams } from '@tollgate/messaging';
import { createLogger, missingParts } from '@tollgate/observability';
import { Service } from '@tollgate/service';
import { eventually, patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { edge } from '../edge.module';
import { EdgeServer } from '../http/edge-server';
import { Readiness } from '../http/health.controller';
import { TurnKeeper } from '../responses/turn-keeper';
import { Settings } from '../settings';
import { FakeCatalog } from './catalog-fixture';
import { FakeAccounts } from './fake-accounts';
import { FakeBudgets } from './fake-budgets';
import { FakeInference } from './fake-inference';
import { FakeMetering } from './fake-metering';
import { FakePeople } from './fake-people';

const pepper = 'a pepper for tests, of forty characters.';

/** A real edge on a real nats-server, among fakes of the other services. */
export class EdgeRig {
  /** How many times as long as in operation edge waits for an answer of a control service. */
  controlPatience = patience;

  private constructor(
    readonly nats: NatsServer,
    readonly service: Service<Settings>,
    private readonly ports: { readonly port: number; readonly internalPort: number },
    private readonly connections: NatsConnection[],
    readonly accounts: FakeAccounts,
    readonly people: FakePeople,
    readonly metering: FakeMetering,
    readonly budgets: FakeBudgets,
    readonly inference: FakeInference,
    readonly catalog: FakeCatalog,
  ) {}

  /** `variables` change edge's environment. */
  static async start(variables: NodeJS.ProcessEnv = {}): Promise<EdgeRig> {
    const nats = await startNatsServer();
    const logger = createLogger('edge', 'error');
    const connect = () => connectToNats({ url: nats.url, name: 'test', logger });
    const [services, inferenceConnection] = await Promise.all([connect(), connect()]);
    await ensureUsageStreams(services);
    const accounts = new FakeAccounts(services, pepper);
    const people = new FakePeople(services, accounts, pepper);
    const metering = new FakeMetering(services);
    const budgets = new FakeBudgets(services);
    const catalog = new FakeCatalog(services);
    const inference = new FakeInference(inferenceConnection);
    accounts.start();
    people.start();
    metering.start();
    budgets.start();
    catalog.start();
    await inference.start();
    const settings = new Settings({
      NATS_URL: nats.url,
      TOLLGATE_KEY_PEPPER: pepper,
      PORT: '0',
      INTERNAL_PORT: '0',
      EDGE_STOP_GRACE_S: '0',
      EDGE_DRAIN_S: '1',
      LOG_LEVEL: 'error',
      ...variables,
    });
    const service = new Service(edge, settings);
    const internalPort = await service.start();
    // What is not kept or answered in time is a fault here, not a busy machine's way out.
    service.get(TurnKeeper).patienceMs *= patience;
    const connections = [services, inferenceConnection];
    const ports = { port: service.get(EdgeServer).port, internalPort };
    const rig = new EdgeRig(nats, service, ports, connections, accounts, people, metering, budgets, inference, catalog);
    rig.bePatient(service.get(ControlClient));
    const { checks } = service.get(Readiness);
    while ((await missingParts(checks)).length > 0) await sleep(10);
    return rig;
  }

  get port(): number {
    return this.ports.port;
  }

  get internalPort(): number {
    return this.ports.internalPort;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Posts a chat completion. `body` a string: sent as it is. */
  async chat(apiKey: string, body: object | string, init: RequestInit = {}): Promise<Response> {
    return this.post('/v1/chat/completions', apiKey, body, init);
  }

  async post(path: string, apiKey: string, body: object | string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
    });
  }

  async get(path: string, apiKey: string): Promise<Response> {
    return fetch(`${this.url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  }

  async stop(): Promise<void> {
    await this.service.stop();
    this.accounts.stop();
    this.people.stop();
    this.metering.stop();
    this.budgets.stop();
    await this.inference.stop();
    await Promise.all(this.connections.map((connection) => connection.close()));
    await this.nats.stop();
  }

  /** From now on who is there may take longer for an answer; nobody who is away is waited for any longer. */
  private bePatient(client: ControlClient): void {
    const call = client.call.bind(client);
    client.call = (operation, request, given) => {
      const { timeoutMs = 2_000, absentMs = Math.min(timeoutMs, 5_000) } = given ?? {};
      return call(operation, request, { timeoutMs: timeoutMs * this.controlPatience, absentMs });
    };
  }
}

/** A plain request that every test may send. */
export const question = {
  model: 'openai/gpt-5.4-mini',
  messages: [{ role: 'user', content: 'Hello?' }],
  max_tokens: 50,
};

export { eventually };
