import { Module, type DynamicModule } from '@nestjs/common';
import { AccessRequests } from './accounts/access-requests';
import { AccountListing } from './accounts/account-listing';
import { AccountStatus } from './accounts/account-status';
import { AccountsController } from './accounts/accounts.controller';
import { Changes } from './changes/changes';
import { KeyChangePublisher } from './changes/key-change-publisher';
import { KeyCreation } from './keys/key-creation';
import { KeyListing } from './keys/key-listing';
import { KeyLookup } from './keys/key-lookup';
import { KeyRevocation } from './keys/key-revocation';
import { KeyRotation } from './keys/key-rotation';
import { KeySettings } from './keys/key-settings';
import { KeysController } from './keys/keys.controller';
import { Storage } from './storage/storage';

/** What the operations need from outside. */
export interface AccountsParts {
  storage: Storage;
  publisher: KeyChangePublisher;
  keySettings: KeySettings;
}

/** All operations of accounts. */
@Module({})
export class AccountsModule {
  static with({ storage, publisher, keySettings }: AccountsParts): DynamicModule {
    return {
      module: AccountsModule,
      controllers: [KeysController, AccountsController],
      providers: [
        { provide: Storage, useValue: storage },
        { provide: KeyChangePublisher, useValue: publisher },
        { provide: KeySettings, useValue: keySettings },
        Changes,
        KeyLookup,
        KeyCreation,
        KeyRotation,
        KeyRevocation,
        KeyListing,
        AccessRequests,
        AccountStatus,
        AccountListing,
      ],
    };
  }
}
