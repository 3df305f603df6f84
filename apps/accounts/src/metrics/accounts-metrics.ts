import { serviceRegistry } from '@tollgate/observability';
import { Counter } from 'prom-client';

/** What Prometheus sees of an instance. */
export class AccountsMetrics {
  readonly registry = serviceRegistry();

  private readonly signIns = new Counter({
    name: 'tollgate_accounts_sign_ins_total',
    help: 'Tries to sign in by method (password, oidc) and outcome (opened, refused, throttled).',
    labelNames: ['method', 'outcome'],
    registers: [this.registry],
  });
  private readonly throttled = new Counter({
    name: 'tollgate_accounts_throttled_total',
    help: 'Tries of any kind (signing in or up, passwords, mails) that had to wait because there were too many.',
    registers: [this.registry],
  });

  signedIn(method: 'password' | 'oidc', outcome: 'opened' | 'refused' | 'throttled'): void {
    this.signIns.inc({ method, outcome });
  }

  throttledOne(): void {
    this.throttled.inc();
  }
}
