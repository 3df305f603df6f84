import type { ProofOptions, ProofValues, Say } from '../proof';
import { proveServers } from './prove-servers';
import { chosenServers, ownServers } from './servers';
import { measureShared } from './shared';
import { writeServersPage } from './servers-page';

export const serversOptions = {
  only: { type: 'string', default: '' },
  with: { type: 'string', default: '' },
  write: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  shared: { type: 'boolean', default: false },
  record: { type: 'boolean', default: false },
} as const satisfies ProofOptions;

/**
 * Holds when every server could be had and each difference between its answers and ours is named. `only`: ids
 * of servers, with commas; what they pass on to is played with them. `with`: ids of those that cost much,
 * which are played beside the others. `write`: what was played goes into docs/servers.md, where the other
 * servers stay as they are. `shared`: nothing is judged, but two servers behind one name are measured.
 * `record`: what the servers answer is kept for the gate; only questions are played, and docs/servers.md
 * stays.
 */
export async function runServers(values: ProofValues<typeof serversOptions>, say: Say): Promise<boolean> {
  const { only, with: and, write, keep, shared, record } = values;
  if (shared) {
    await measureShared(say);
    return true;
  }
  const chosen = chosenServers(only, and);
  for (const { id, name, cost } of ownServers)
    if (cost !== null && !chosen.some((server) => server.id === id))
      say(`${name}: not played. --with ${id} plays it, too: ${cost}.`);
  const rows = await proveServers(chosen, { keep, record }, say);
  for (const { server, absent, cells } of rows) {
    if (absent !== null) say(`${server.name}: absent. ${absent}`);
    const wrong = [...cells].filter(([, { problems, named }]) => problems.length > 0 && named === null);
    say(`${server.name}: ${cells.size - wrong.length} of ${cells.size} as it answers itself`);
  }
  if (write && !record) await writeServersPage(rows);
  const all = rows.flatMap(({ cells }) => [...cells.values()]);
  return (
    all.length > 0 &&
    rows.every(({ absent }) => absent === null) &&
    all.every(({ problems, named }) => problems.length === 0 || named !== null)
  );
}
