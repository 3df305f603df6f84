import type { Attack } from './attack';
import { answerAttacks } from './attacks/answers';
import { bodyAttacks } from './attacks/bodies';
import { crowdAttacks } from './attacks/crowds';
import { dashboardAttacks } from './attacks/dashboard';
import { peerAttacks } from './attacks/peers';
import { providerAttacks } from './attacks/provider-errors';
import { refusalAttacks } from './attacks/refusals';

/** Every kind of attacker, in the order in which they are played. */
export const attacks: readonly Attack[] = [
  ...refusalAttacks,
  ...providerAttacks,
  ...crowdAttacks,
  ...peerAttacks,
  ...answerAttacks,
  ...dashboardAttacks,
  ...bodyAttacks,
];
