import type { accountsOperations, administrationOperations, peopleOperations } from '@tollgate/contracts';
import type { z } from 'zod';

type Operations = typeof accountsOperations & typeof peopleOperations & typeof administrationOperations;

/** What an operation is asked, parsed. */
export type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;

/** What an operation answers. */
export type Reply<Name extends keyof Operations> = z.output<Operations[Name]['reply']>;
