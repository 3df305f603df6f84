import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { secondFactorOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { AccountsMetrics } from '../accounts-metrics';
import { findPerson } from '../people/person-rows';
import { Sessions } from '../people/sessions';
import { networkOf, Throttle } from '../people/throttle';
import { Storage } from '../storage';
import { SecondFactors } from './second-factors';
import { triesOf } from './tries';

type Served = ServedBy<typeof secondFactorOperations>;

const freeTriesOfNetwork = 30;

/** The second half of signing in with a password. */
@Controller()
export class SecondSignInController {
  constructor(
    private readonly storage: Storage,
    private readonly throttle: Throttle,
    private readonly sessions: Sessions,
    private readonly factors: SecondFactors,
    private readonly metrics: AccountsMetrics,
  ) {}

  /** @throws ControlError `invalid` (the sign-in is unknown or too old), `unavailable`. */
  @Serve(secondFactorOperations.finish)
  async finish(request: Served['finish']['request']): Promise<Served['finish']['reply']> {
    const reply = await this.tryToFinish(request);
    this.metrics.signedIn('second-factor', reply.outcome);
    return reply;
  }

  private async tryToFinish({
    token,
    code,
    address,
    userAgent,
  }: Served['finish']['request']): Promise<Served['finish']['reply']> {
    const personId = await this.storage.read((queries) => this.factors.personOfSignIn(queries, token));
    const network = { subject: `second-factor:${networkOf(address)}`, free: freeTriesOfNetwork };
    const retryAfterS = await this.throttle.take(network, triesOf(personId));
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    const session = await this.storage.transaction(async (queries) => {
      if (!(await this.factors.take(queries, await findPerson(queries, personId), code))) return null;
      // Of two that come at the same time, one ends it; the other's code is given back with this transaction.
      await this.factors.endSignIn(queries, token);
      return this.sessions.open(queries, personId, userAgent);
    });
    if (!session) return { outcome: 'refused' };
    await this.throttle.forgive(triesOf(personId).subject);
    await this.throttle.giveBack(network);
    return { outcome: 'opened', session };
  }
}
