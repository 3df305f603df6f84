import type { OwnServer, RunningServer, ServerPart } from './own-server';

/** The gateway as its callers know it. */
export interface Gateway {
  baseUrl: string;
  apiKey: string;
}

/** A running part of a server, under the provider id that the gateway knows. */
export interface Place {
  server: OwnServer;
  part: ServerPart;
  provider: string;
  running: RunningServer;
}

/** Environment variable with a server's key. */
export function keyName(id: string): string {
  return `${id.replaceAll('-', '_').toUpperCase()}_KEY`;
}

/**
 * tollgate.yaml for these servers. Beside what each lists, `<provider>/always` is its model whether it is listed or not, and `<provider>/nobody` one that
 * it does not have: both of the same server by another id, since a name that the file has is not discovered. `<provider>-tls` is that server with a mistake in its address.
 */
export function fileOf(places: readonly Place[]): string {
  const providers = places.flatMap(({ provider, server, running }) => {
    const key = server.key === null ? '' : `, apiKeyEnv: ${keyName(server.id)}`;
    const like = (id: string, url: string) => `  - { id: ${id}, preset: ${server.id}, baseUrl: '${url}'${key}`;
    return [
      `${like(provider, running.url)}, models: discover }`,
      `${like(`${provider}-kept`, running.url)} }`,
      `${like(`${provider}-tls`, running.url.replace('http:', 'https:'))} }`,
    ];
  });
  const models = places.flatMap(({ provider, part }) => [
    `  - { id: ${provider}/always, provider: ${provider}-kept, upstreamModel: '${part.model}' }`,
    `  - { id: ${provider}/nobody, provider: ${provider}-kept, upstreamModel: nobody }`,
    `  - { id: ${provider}/tls, provider: ${provider}-tls, upstreamModel: '${part.model}' }`,
  ]);
  return `providers:\n${providers.join('\n')}\nmodels:\n${models.join('\n')}\n`;
}
