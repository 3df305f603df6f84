import { Module, type DynamicModule } from '@nestjs/common';
import { AccessRequests } from './accounts/access-requests';
import { AccountListing } from './accounts/account-listing';
import { AccountStatus } from './accounts/account-status';
import { AccountsController } from './accounts/accounts.controller';
import { ActRecording } from './administration/act-recording';
import { AccountSearch } from './administration/account-search';
import { AdministrationController } from './administration/administration.controller';
import { AuditListing } from './administration/audit-listing';
import { Changes } from './changes/changes';
import { KeyChangePublisher } from './changes/key-change-publisher';
import { KeyCreation } from './keys/key-creation';
import { KeyListing } from './keys/key-listing';
import { KeyLookup } from './keys/key-lookup';
import { KeyRehash } from './keys/key-rehash';
import { KeyRevocation } from './keys/key-revocation';
import { KeyRotation } from './keys/key-rotation';
import { KeySettings } from './keys/key-settings';
import { KeysController } from './keys/keys.controller';
import { KeyUpdate } from './keys/key-update';
import { MailsController } from './mail/mails.controller';
import { AccountsMetrics } from './metrics/accounts-metrics';
import { Outbox } from './mail/outbox';
import { OidcController } from './oidc/oidc.controller';
import { OidcProvider } from './oidc/oidc-provider';
import { OidcSignIn } from './oidc/oidc-sign-in';
import { EmailVerification } from './people/email-verification';
import { FirstAdministrator } from './people/first-administrator';
import { OneTimeTokens } from './people/one-time-tokens';
import { PasswordChange } from './people/password-change';
import { PasswordReset } from './people/password-reset';
import { Passwords } from './people/passwords';
import { PeopleController } from './people/people.controller';
import { PeopleSettings } from './people/people-settings';
import { Profile } from './people/profile';
import { Sessions } from './people/sessions';
import { SessionsController } from './people/sessions.controller';
import { SignIn } from './people/sign-in';
import { SignUp } from './people/sign-up';
import { Throttle } from './people/throttle';
import { Storage } from './storage/storage';

/** What the operations need from outside. */
export interface AccountsParts {
  storage: Storage;
  metrics: AccountsMetrics;
  publisher: KeyChangePublisher;
  keySettings: KeySettings;
  peopleSettings: PeopleSettings;
}

/** All operations of accounts. */
@Module({})
export class AccountsModule {
  static with({ storage, metrics, publisher, keySettings, peopleSettings }: AccountsParts): DynamicModule {
    return {
      module: AccountsModule,
      controllers: [
        KeysController,
        AccountsController,
        PeopleController,
        SessionsController,
        MailsController,
        OidcController,
        AdministrationController,
      ],
      providers: [
        { provide: Storage, useValue: storage },
        { provide: AccountsMetrics, useValue: metrics },
        { provide: KeyChangePublisher, useValue: publisher },
        { provide: KeySettings, useValue: keySettings },
        { provide: PeopleSettings, useValue: peopleSettings },
        Changes,
        KeyLookup,
        KeyRehash,
        KeyCreation,
        KeyRotation,
        KeyRevocation,
        KeyListing,
        KeyUpdate,
        AccessRequests,
        AccountStatus,
        AccountListing,
        AccountSearch,
        ActRecording,
        AuditListing,
        Outbox,
        ...people,
      ],
    };
  }
}

const people = [
  Passwords,
  Sessions,
  Throttle,
  OneTimeTokens,
  SignUp,
  SignIn,
  PasswordChange,
  PasswordReset,
  EmailVerification,
  FirstAdministrator,
  Profile,
  OidcProvider,
  OidcSignIn,
];
