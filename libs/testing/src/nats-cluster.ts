import { freePort } from './free-port';
import { startNatsServer } from './nats-server';
import type { NatsServer } from './nats-server';

/** The shortest that nats-server takes; one whose clients have all left by the end of the grace ends at once. */
const lameDuck = 'lame_duck_duration: "30s"\nlame_duck_grace_period: "2s"\n';

/** Servers that know each other, with JetStream over all of them. */
export interface NatsCluster {
  servers: NatsServer[];
  /** All of them, with commas between. */
  url: string;
  stop(): Promise<void>;
}

/** Starts a cluster of so many nats-servers on the loopback address. It can be used at once; JetStream needs a second more to choose its leader. */
export async function startNatsCluster(size: number): Promise<NatsCluster> {
  const ports = await Promise.all(Array.from({ length: size }, () => freePort()));
  const routes = ports.map((port) => `nats-route://127.0.0.1:${port}`).join(', ');
  const servers = await Promise.all(
    ports.map((port) =>
      startNatsServer({
        extraConfig: `${lameDuck}cluster { name: tollgate, listen: "127.0.0.1:${port}", routes: [${routes}] }\n`,
      }),
    ),
  );
  return {
    servers,
    url: servers.map(({ url }) => url).join(','),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}
