import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { operation } from '@tollgate/contracts';
import { connectToNats, ControlClient, Serve } from '@tollgate/messaging';
import { eventually, freePort, startNatsServer, type NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { z } from 'zod';
import { LOGGER, NATS } from './injected';
import { Service, type ServiceDefinition } from './service';
import { ServiceSettings } from './service-settings';

const slow = operation('canary.slow', z.object({}), z.object({ answered: z.boolean() }));
let nats: NatsServer;
let client: NatsConnection;
/** What happened, in its order. */
let happened: string[] = [];
/** Lets the question that runs be answered. */
let answer: () => void = () => undefined;

class Settings extends ServiceSettings {
  constructor(internalPort = 0, url = nats.url) {
    super({ NATS_URL: url, LOG_LEVEL: 'silent', INTERNAL_HOST: '127.0.0.1', INTERNAL_PORT: internalPort });
  }
}

@Injectable()
class Worker {
  constructor(
    @Inject(NATS) readonly connection: NatsConnection,
    @Inject(LOGGER) readonly logger: unknown,
    readonly settings: Settings,
    readonly control: ControlClient,
  ) {}

  onModuleInit(): void {
    happened.push('init');
  }

  onModuleDestroy(): void {
    happened.push('nothing new');
  }

  /**
   * Whoever finishes what runs must reach NATS, and whoever probes must hear that this instance is leaving.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await this.connection.flush();
    const { status } = await fetch(`http://127.0.0.1:${this.settings.internalPort}/readyz`);
    happened.push(`finished at ${status}`);
  }

  onApplicationShutdown(): void {
    happened.push(`closed, NATS ${this.connection.isClosed() ? 'gone' : 'there'}`);
  }
}

@Controller()
class SlowController {
  @Serve(slow)
  async answer(): Promise<{ answered: boolean }> {
    happened.push('asked');
    await new Promise<void>((resolve) => (answer = resolve));
    return { answered: true };
  }
}

@Module({ controllers: [SlowController], providers: [Worker] })
class Canary {}

const definition: ServiceDefinition<Settings> = {
  name: 'sandbox',
  settings: class extends Settings {
    constructor() {
      super();
    }
  },
  module: () => Canary,
};
const services: Service<Settings>[] = [];
const made = async (changes: Partial<ServiceDefinition<Settings>> = {}): Promise<Service<Settings>> => {
  const service = new Service({ ...definition, ...changes }, new Settings(await freePort()));
  services.push(service);
  return service;
};

beforeAll(async () => {
  nats = await startNatsServer();
  client = await connectToNats({ url: nats.url, name: 'spec' });
});
beforeEach(() => {
  happened = [];
});
afterEach(async () => {
  await Promise.all(services.splice(0).map(async (service) => service.isStopping || service.stop()));
});
afterAll(async () => {
  await client.close();
  await nats.stop();
});

describe('the stop of a service', () => {
  it('answers what it was asked, then ends in its order: nothing new, what runs, what is one’s own, NATS, health', async () => {
    const service = await made();
    const port = await service.start();
    const question = new ControlClient(client).call(slow, {}, { timeoutMs: 60_000 });
    await eventually(() => happened.includes('asked'));
    const stopped = service.stop();
    expect(happened).toEqual(['init', 'asked']);
    answer();
    expect(await question).toEqual({ answered: true });
    await stopped;
    expect(happened).toEqual(['init', 'asked', 'nothing new', 'finished at 503', 'closed, NATS there']);
    expect(service.get(Worker).connection.isClosed()).toBe(true);
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  });

  it('takes no question once it began: another instance answers', async () => {
    const [leaving, staying] = [await made(), await made()];
    await Promise.all([leaving.start(), staying.start()]);
    await leaving.stop();
    const question = new ControlClient(client).call(slow, {}, { timeoutMs: 60_000 });
    await eventually(() => happened.includes('asked'));
    answer();
    expect(await question).toEqual({ answered: true });
  });

  it('ends a start that still waits for Postgres', async () => {
    let come: () => void = () => undefined;
    const service = await made({ migrate: () => new Promise<void>((resolve) => (come = resolve)) });
    const started = service.start();
    await eventually(() => come.length === 1);
    await service.stop();
    come();
    await started;
    expect(happened).toEqual([]);
  });

  it('ends a start that still waits for NATS', async () => {
    const nowhere = `nats://127.0.0.1:${await freePort()}`;
    const service = new Service(definition, new Settings(await freePort(), nowhere));
    const warned = jest.spyOn(service.logger, 'warn');
    const started = service.start();
    await eventually(() => warned.mock.calls.length > 0);
    await service.stop();
    await started;
    expect(happened).toEqual([]);
  });

  it('ends a start whose classes still begin, and nothing is served by it afterwards', async () => {
    let begin: () => void = () => undefined;
    @Injectable()
    class Slow implements OnModuleInit {
      onModuleInit(): Promise<void> {
        return new Promise((resolve) => (begin = resolve));
      }
    }
    @Module({ controllers: [SlowController], providers: [Worker, Slow] })
    class SlowCanary {}
    const service = await made({ module: () => SlowCanary });
    const started = service.start();
    await eventually(() => begin.length === 1);
    await service.stop();
    begin();
    await started;
    await expect(new ControlClient(client).call(slow, {})).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a hook that throws while a service stops', () => {
  @Injectable()
  class Broken {
    onModuleDestroy(): void {
      throw new Error('first phase');
    }

    async beforeApplicationShutdown(): Promise<void> {
      throw new Error('second phase');
    }

    onApplicationShutdown(): void {
      throw new Error('third phase');
    }
  }
  @Module({ providers: [Broken, Worker] })
  class BrokenCanary implements OnApplicationShutdown {
    onApplicationShutdown(): void {
      happened.push('the module’s own is closed');
    }
  }

  it('keeps nothing else from being finished and closed; then the stop fails, with what was thrown', async () => {
    const service = await made({ module: () => BrokenCanary });
    const logged = jest.spyOn(service.logger, 'error');
    const port = await service.start();
    const failure: unknown = await service.stop().catch((error: unknown) => error);
    expect(happened).toEqual([
      'init',
      'nothing new',
      'finished at 503',
      'closed, NATS there',
      'the module’s own is closed',
    ]);
    expect(service.get(Worker).connection.isClosed()).toBe(true);
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
    const thrown = ['first phase', 'second phase', 'third phase'].map((text) => new Error(text));
    expect(failure).toMatchObject({ errors: thrown });
    expect(logged.mock.calls.map(([fields]) => fields)).toMatchObject(thrown.map((err) => ({ err })));
  });
});

describe('a service with an HTTP server', () => {
  /** Where it is; empty before it listens. */
  let url = '';
  const reach = (): Promise<string> =>
    fetch(url).then(
      ({ status }) => String(status),
      () => 'away',
    );
  const http: ServiceDefinition<Settings>['http'] = async (root, options) => {
    const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), options);
    const listen = async (): Promise<void> => {
      await app.listen(0, '127.0.0.1');
      url = await app.getUrl();
    };
    return { app, listen };
  };

  @Controller()
  class DoorController {
    @Get()
    open(): string {
      return 'open';
    }

    async onModuleDestroy(): Promise<void> {
      happened.push(`at the begin of the stop ${await reach()}`);
    }

    async beforeApplicationShutdown(): Promise<void> {
      happened.push(`while it finishes ${await reach()}`);
    }

    async onApplicationShutdown(): Promise<void> {
      happened.push(`at its end ${await reach()}`);
    }
  }

  @Module({ controllers: [DoorController] })
  class House {}

  it('answers from when it has started until what runs is finished', async () => {
    const service = await made({ module: () => House, http });
    await service.start();
    expect(await reach()).toBe('200');
    await service.stop();
    expect(happened).toEqual(['at the begin of the stop 200', 'while it finishes 200', 'at its end away']);
  });

  it('does not stay open where a stop came while its classes began, and no hook has two turns', async () => {
    let begin: () => void = () => undefined;

    @Injectable()
    class Slow implements OnModuleInit {
      onModuleInit(): Promise<void> {
        return new Promise((resolve) => (begin = resolve));
      }
    }

    @Module({ controllers: [DoorController], providers: [Slow] })
    class SlowHouse {}

    url = '';
    const service = await made({ module: () => SlowHouse, http });
    const started = service.start();
    await eventually(() => begin.length === 1);
    await service.stop();
    begin();
    await started;
    expect(await reach()).toBe('away');
    expect(happened).toEqual(['at the begin of the stop away', 'while it finishes away', 'at its end away']);
  });
});

describe('the start of a service', () => {
  it('is not ready before its own checks hold, and names them', async () => {
    let holds = false;
    const service = await made({ checks: { postgres: () => holds } });
    const port = await service.start();
    const readiness = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
    expect(await readiness()).toMatchObject({ status: 'unavailable', missing: ['postgres'] });
    holds = true;
    expect(await readiness()).toMatchObject({ status: 'ok' });
  });

  it('tells whether Postgres answers while it still waits, and closes its connections when it is stopped then', async () => {
    class Storage {
      answers = async (): Promise<boolean> => true;
      onApplicationShutdown = (): number => happened.push('Postgres closed');
    }
    let come: () => void = () => undefined;
    const migrate = () => new Promise<void>((resolve) => (come = resolve));
    const service = await made({ storage: Storage, migrate });
    const started = service.start();
    await eventually(() => come.length === 1);
    const readiness = await fetch(`http://127.0.0.1:${service.settings.internalPort}/readyz`);
    expect(await readiness.json()).toMatchObject({ status: 'unavailable', missing: ['started', 'nats'] });
    await service.stop();
    come();
    await started;
    expect(happened).toEqual(['Postgres closed']);
  });

  it('fails at once when a file of the operator is not usable, without waiting for anything', async () => {
    const service = await made({
      module: () => {
        throw new Error('the file');
      },
      migrate: () => new Promise(() => undefined),
    });
    await expect(service.start()).rejects.toThrow('the file');
  });
});
