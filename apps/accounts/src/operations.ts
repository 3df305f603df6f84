import type { ServedBy } from '@tollgate/contracts';
import type { accountsOperations, administrationOperations, peopleOperations } from '@tollgate/contracts/accounts';

type Served = ServedBy<typeof accountsOperations & typeof peopleOperations & typeof administrationOperations>;

/** What an operation is asked, parsed. */
export type Request<Name extends keyof Served> = Served[Name]['request'];

/** What an operation answers. */
export type Reply<Name extends keyof Served> = Served[Name]['reply'];
