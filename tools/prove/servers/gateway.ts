import type { OwnServer, RunningServer, ServerPart } from './own-server';
import type { Recorder } from './recording/recorder';

/** The gateway as its callers know it. */
export interface Gateway {
  baseUrl: string;
  apiKey: string;
}

/** A part of a server that is asked at `url`, under the provider id that the gateway knows. */
export interface AskedPlace {
  server: OwnServer;
  part: ServerPart;
  provider: string;
  url: string;
}

/**
 * One that runs here. `recorder`: it stands before the server, and `url` is its address; null: nobody does.
 */
export interface Place extends AskedPlace {
  running: RunningServer;
  recorder: Recorder | null;
}

/** Environment variable with a server's key. */
function keyName(id: string): string {
  return `${id.replaceAll('-', '_').toUpperCase()}_KEY`;
}

/**
 * tollgate.yaml for these servers. Beside what each lists, `<provider>/always` is its model whether it is
 * listed or not, and `<provider>/nobody` one that it does not have: both of the same server by another id,
 * since a name that the file has is not discovered. `<provider>-tls` is that server with a mistake in its
 * address.
 */
export function fileOf(places: readonly AskedPlace[]): string {
  const providers = places.flatMap(({ provider, server, url: address }) => {
    const key = server.key === null ? '' : `, apiKeyEnv: ${keyName(server.id)}`;
    const like = (id: string, url: string) => `  - { id: ${id}, preset: ${server.id}, baseUrl: '${url}'${key}`;
    return [
      `${like(provider, address)}, models: discover }`,
      `${like(`${provider}-kept`, address)} }`,
      `${like(`${provider}-tls`, address.replace('http:', 'https:'))} }`,
    ];
  });
  const models = places.flatMap(({ provider, part }) => [
    `  - { id: ${provider}/always, provider: ${provider}-kept, upstreamModel: '${part.model}' }`,
    `  - { id: ${provider}/nobody, provider: ${provider}-kept, upstreamModel: nobody }`,
    `  - { id: ${provider}/tls, provider: ${provider}-tls, upstreamModel: '${part.model}' }`,
  ]);
  return `providers:\n${providers.join('\n')}\nmodels:\n${models.join('\n')}\n`;
}

/** The keys of these servers, by the variables that the file names. */
export function keysOf(places: readonly AskedPlace[]): Record<string, string> {
  return Object.fromEntries(places.flatMap(({ server: { id, key } }) => (key === null ? [] : [[keyName(id), key]])));
}
