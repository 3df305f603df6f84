import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import { playAttack } from './attack';
import { Attacker } from './attacker';
import type { AttackerMeans } from './attacker';
import { givesWay } from './attacker-process';
import type { AttackNews, AttackOrder } from './attacker-process';
import { attacks } from './attacks';
import { workAt } from './priority';

/**
 * The process of the attacker: plays what its parent names, and tells when it begins and how it ended. It is
 * on a machine of its own in life, so that where times are judged (`gives-way`) it gets only the time of a
 * core that nobody else wants: what it works itself is not what the gateway does to others.
 */
let attacker: Attacker | null = null;
const preparedWithinMs = 30_000;

if (process.argv.includes(givesWay)) workAt(constants.priority.PRIORITY_LOW);

process.on('message', (message: AttackerMeans | AttackOrder) => {
  if ('baseUrl' in message) attacker = new Attacker(message);
  else void obey(message);
});
process.on('disconnect', () => process.exit(0));

async function obey({ name, durationMs }: AttackOrder): Promise<void> {
  const attack = attacks.find((one) => one.name === name);
  if (!attack || !attacker) throw new Error(`There is no attack named "${name}".`);
  const late = AbortSignal.timeout(preparedWithinMs);
  // Everything that is under way listens to it.
  setMaxListeners(0, late);
  try {
    await attack.prepare?.(attacker, late);
  } catch {
    // The attack tells how it ended.
  }
  tell({ endings: null });
  tell({ endings: await playAttack(attack, attacker, durationMs) });
}

function tell(news: AttackNews): void {
  process.send?.(news);
}
