import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** What Prometheus sees of an instance besides what it sees of every service. */
@Injectable()
export class AccountsMetrics {
  private readonly signIns: Counter<'method' | 'outcome'>;
  private readonly throttled: Counter;

  constructor(registry: Registry) {
    this.signIns = new Counter({
      name: 'tollgate_accounts_sign_ins_total',
      help: 'Tries to sign in by method (password, second-factor, passkey, oidc) and outcome (opened, second-factor, refused, throttled).',
      labelNames: ['method', 'outcome'],
      registers: [registry],
    });
    this.throttled = new Counter({
      name: 'tollgate_accounts_throttled_total',
      help: 'Tries of any kind (signing in or up, passwords, mails) that had to wait because there were too many.',
      registers: [registry],
    });
  }

  signedIn(
    method: 'password' | 'second-factor' | 'passkey' | 'oidc',
    outcome: 'opened' | 'second-factor' | 'refused' | 'throttled',
  ): void {
    this.signIns.inc({ method, outcome });
  }

  throttledOne(): void {
    this.throttled.inc();
  }
}
