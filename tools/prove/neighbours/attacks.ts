import type { Attack } from './attack';
import { answerAttacks } from './attacks/answers';
import { bodyAttacks } from './attacks/bodies';
import { controls } from './attacks/control';
import { crowdAttacks } from './attacks/crowds';
import { dashboardAttacks } from './attacks/dashboard';
import { keptAttacks } from './attacks/kept';
import { peerAttacks } from './attacks/peers';
import { providerAttacks } from './attacks/provider-errors';
import { refusalAttacks } from './attacks/refusals';
import { readerAttacks } from './attacks/readers';
import { socketAttacks } from './attacks/sockets';

const others: readonly Attack[] = [
  ...refusalAttacks,
  ...crowdAttacks,
  ...peerAttacks,
  ...answerAttacks,
  ...keptAttacks,
  ...socketAttacks,
  ...dashboardAttacks,
  ...bodyAttacks,
  ...readerAttacks,
];
/** So many others between two that fail at providers, whose failures are forgotten meanwhile. */
const between = Math.floor(others.length / providerAttacks.length);

/** Every kind of attacker, in the order in which they are played. */
export const attacks: readonly Attack[] = [
  ...controls,
  ...providerAttacks.flatMap((attack, index) => [attack, ...others.slice(index * between, (index + 1) * between)]),
  ...others.slice(providerAttacks.length * between),
];
