import { freePort } from './free-port';
import { startNatsServer } from './nats-server';
import type { NatsServer } from './nats-server';
import { startProxyThread } from './proxy-thread';
import type { ProxyThread } from './proxy-thread';

/**
 * The shortest that nats-server takes; one whose clients have all left by the end of the grace ends at once.
 */
const lameDuck = 'lame_duck_duration: "30s"\nlame_duck_grace_period: "2s"\n';

/** Nobody listens there, so that servers find each other by their routes alone. */
const nowhere = '127.0.0.1:1';

/** Servers that know each other, with JetStream over all of them. */
export interface NatsCluster {
  servers: NatsServer[];
  /** All of them, with commas between. */
  url: string;
  stop(): Promise<void>;
}

/** A cluster whose network can be disturbed. */
export interface LinkedNatsCluster extends NatsCluster {
  /** From now on not a byte passes between that server and anybody, client or server; connections stay. */
  cutOff(index: number): Promise<void>;
  rejoin(index: number): Promise<void>;
}

/**
 * Starts a cluster of so many nats-servers on the loopback address. It can be used at once; JetStream needs a
 * second more to choose its leader.
 */
export async function startNatsCluster(size: number): Promise<NatsCluster> {
  const ports = await freePorts(size);
  const routes = ports.map((port) => `nats-route://127.0.0.1:${port}`);
  return clusterOf(
    await Promise.all(ports.map((port) => startNatsServer({ extraConfig: clusterConfig(port, routes) }))),
  );
}

/**
 * The same, with a link of its own between each server and its clients, and between each two servers. Links
 * slow what passes.
 */
export async function startLinkedNatsCluster(size: number): Promise<LinkedNatsCluster> {
  const ports = await freePorts(size);
  const serverPorts = await freePorts(size);
  const links = await Promise.all(
    ports.map(async (_, from) => ({
      clients: await startProxyThread(serverPorts[from] ?? 0),
      others: await Promise.all(
        ports.flatMap((port, to) => (from === to ? [] : [startProxyThread(port).then((proxy) => ({ to, proxy }))])),
      ),
    })),
  );
  const servers = await Promise.all(
    links.map(({ clients, others }, index) => {
      const routes = others.map(({ proxy }) => `nats-route://127.0.0.1:${proxy.port}`);
      const config = clusterConfig(ports[index] ?? 0, routes, `, advertise: "${nowhere}"`);
      const extraConfig = `client_advertise: "127.0.0.1:${clients.port}"\n${config}`;
      return startNatsServer({ port: serverPorts[index], extraConfig });
    }),
  );
  const linksOf = (index: number): ProxyThread[] =>
    links.flatMap(({ clients, others }, from) => [
      ...(from === index ? [clients] : []),
      ...others.flatMap(({ to, proxy }) => (from === index || to === index ? [proxy] : [])),
    ]);
  const cluster = clusterOf(servers);
  return {
    ...cluster,
    url: links.map(({ clients }) => `nats://127.0.0.1:${clients.port}`).join(','),
    cutOff: async (index) => void (await Promise.all(linksOf(index).map((link) => link.freeze()))),
    rejoin: async (index) => void (await Promise.all(linksOf(index).map((link) => link.resume()))),
    stop: async () => {
      await cluster.stop();
      const all = links.flatMap(({ clients, others }) => [clients, ...others.map(({ proxy }) => proxy)]);
      await Promise.all(all.map((link) => link.close()));
    },
  };
}

function clusterOf(servers: NatsServer[]): NatsCluster {
  return {
    servers,
    url: servers.map(({ url }) => url).join(','),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

function clusterConfig(port: number, routes: readonly string[], more = ''): string {
  return `${lameDuck}cluster { name: tollgate, listen: "127.0.0.1:${port}", routes: [${routes.join(', ')}]${more} }\n`;
}

function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}
