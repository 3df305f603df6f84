import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** So long nothing may come before the name servers are asked once more, milliseconds. */
const againMs = 150;
const mostQuestions = 5;

/** What is used of Node's `Resolver`. */
interface NameResolver {
  resolve4(host: string): Promise<string[]>;
  resolve6(host: string): Promise<string[]>;
  cancel(): void;
}

/**
 * The addresses of a host, those of IPv4 first; the host itself where the name servers know none, which
 * leaves it to the system (`/etc/hosts`). It never rejects.
 * The client library asks once. Where that question or its answer gets lost (UDP), as with a busy name server
 * of a cluster or of Podman, Node's resolver waits for some three seconds before it asks again, and so long
 * nobody is connected. Here the next question does not wait for the one before.
 * @see https://github.com/nats-io/nats.node/blob/v2.29.3/src/node_transport.ts `nodeResolveHost`
 */
export async function resolveHost(
  host: string,
  newResolver: () => NameResolver = () => new Resolver(),
): Promise<string[]> {
  const resolvers: NameResolver[] = [];
  const questions: Promise<string[]>[] = [];
  let answer: string[] | null = null;
  while (answer === null && resolvers.length < mostQuestions) {
    // Each asks from a socket of its own.
    const resolver = newResolver();
    resolvers.push(resolver);
    questions.push(addresses(resolver, host));
    answer = await Promise.race([...questions, sleep(againMs, null, { ref: false })]);
  }
  answer ??= await Promise.race(questions);
  for (const resolver of resolvers) resolver.cancel();
  return answer.length > 0 ? answer : [host];
}

async function addresses(resolver: NameResolver, host: string): Promise<string[]> {
  const told = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return told.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
