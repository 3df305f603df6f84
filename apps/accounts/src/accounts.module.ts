import { Module } from '@nestjs/common';
import { loadTollgateFile } from '@tollgate/configuration';
import { migrateWhenReachable } from '@tollgate/database';
import type { ServiceDefinition } from '@tollgate/service';
import { AccountsMetrics } from './accounts-metrics';
import { AccountsController } from './accounts/accounts.controller';
import { AuditController } from './accounts/audit.controller';
import { FilePlans } from './accounts/file-plans';
import { PlanFile } from './accounts/plan-file';
import { PlanSettings } from './accounts/plan-settings';
import { KeyAlerts } from './alerts/key-alerts';
import { ProviderAlerts } from './alerts/provider-alerts';
import { UsageAlerts } from './alerts/usage-alerts';
import { WebhookSecrets } from './alerts/webhook-secrets';
import { WebhookSender } from './alerts/webhook-sender';
import { WebhooksController } from './alerts/webhooks.controller';
import { BudgetNameNotices } from './budgets/budget-name-notices';
import { BudgetNotices } from './budgets/budget-notices';
import { BudgetsController } from './budgets/budgets.controller';
import { DirectoryController } from './directory/directory.controller';
import { ExpiredRows } from './expired-rows';
import { ImportsController } from './accounts/imports.controller';
import { Changes } from './keys/changes';
import { KeyChangePublisher } from './keys/key-change-publisher';
import { KeyRehash } from './keys/key-rehash';
import { KeysController } from './keys/keys.controller';
import { Invitations } from './members/invitations';
import { JoinController } from './members/join.controller';
import { MembersController } from './members/members.controller';
import { MailSender } from './mail/mail-sender';
import { MailsController } from './mail/mails.controller';
import { Outbox } from './mail/outbox';
import { RetirementNotices } from './mail/retirement-notices';
import { FirstStart } from './first-start';
import { AccessRequests } from './people/access-requests';
import { OwnKeysController } from './own-keys/own-keys.controller';
import { FirstAdministrator } from './people/first-administrator';
import { OidcProvider } from './people/oidc-provider';
import { OidcController } from './people/oidc.controller';
import { OneTimeLinks } from './people/one-time-links';
import { Passwords } from './people/passwords';
import { PasswordsController } from './people/passwords.controller';
import { PeopleController } from './people/people.controller';
import { Sessions } from './people/sessions';
import { SessionsController } from './people/sessions.controller';
import { SignInController } from './people/sign-in.controller';
import { Throttle } from './people/throttle';
import { Passkeys } from './second-factor/passkeys';
import { PasskeysController } from './second-factor/passkeys.controller';
import { Proofs } from './second-factor/proofs';
import { SecondFactorController } from './second-factor/second-factor.controller';
import { SecondFactors } from './second-factor/second-factors';
import { SecondSignInController } from './second-factor/second-sign-in.controller';
import { AccountsSettings } from './settings';
import { Storage } from './storage';
import { DeedsController } from './tokens/deeds.controller';
import { TokensController } from './tokens/tokens.controller';

/** All of accounts but its plans, which come from the operator's file. */
@Module({
  controllers: [
    KeysController,
    AccountsController,
    AuditController,
    BudgetsController,
    ImportsController,
    PeopleController,
    MembersController,
    JoinController,
    DirectoryController,
    SecondFactorController,
    SecondSignInController,
    PasskeysController,
    SignInController,
    PasswordsController,
    OidcController,
    SessionsController,
    MailsController,
    WebhooksController,
    OwnKeysController,
    TokensController,
    DeedsController,
  ],
  providers: [
    AccessRequests,
    AccountsMetrics,
    BudgetNotices,
    BudgetNameNotices,
    Changes,
    ExpiredRows,
    FirstAdministrator,
    FirstStart,
    Invitations,
    KeyAlerts,
    KeyChangePublisher,
    KeyRehash,
    MailSender,
    OidcProvider,
    OneTimeLinks,
    Outbox,
    Passkeys,
    Passwords,
    PlanFile,
    PlanSettings,
    Proofs,
    ProviderAlerts,
    RetirementNotices,
    SecondFactors,
    Sessions,
    Throttle,
    UsageAlerts,
    WebhookSecrets,
    WebhookSender,
  ],
})
class AccountsModule {}

/** The service: waits for Postgres, then puts the plans of tollgate.yaml in force, then answers. */
export const accounts: ServiceDefinition<AccountsSettings> = {
  name: 'accounts',
  settings: AccountsSettings,
  module: ({ configFile }) => ({
    module: AccountsModule,
    providers: [{ provide: FilePlans, useValue: new FilePlans(loadTollgateFile(configFile).plans) }],
  }),
  migrate: migrateWhenReachable,
  storage: Storage,
};
