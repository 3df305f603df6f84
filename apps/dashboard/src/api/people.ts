import { accountRole, invitation, member } from '@tollgate/contracts/accounts';
import type { AccountRole, Invitation } from '@tollgate/contracts/accounts';
import { z } from 'zod/mini';
import type { Me } from './auth';
import { signedIn, me } from './auth';
import { create, get, patch, post, remove, tell } from './client';

const person = z.omit(member, { accountId: true });
export type ListedPerson = z.infer<typeof person>;
const people = z.object({ people: z.array(person), invitations: z.array(invitation) });

export interface NewInvitation {
  email: string;
  role: AccountRole;
  way: 'mail' | 'link';
}

/** `link` null: it was mailed, and is told nobody else. */
export interface MadeInvitation {
  invitation: Invitation;
  link: string | null;
}

const one = (id: string) => encodeURIComponent(id);

export const fetchPeople = () => get('/api/people', people);
export const invite = (body: NewInvitation, once: string): Promise<MadeInvitation> =>
  create('/api/people/invitations', body, z.object({ invitation, link: z.nullable(z.string()) }), once);
export const withdrawInvitation = (id: string) => tell(`/api/people/invitations/${one(id)}/withdraw`);

/** What is done with somebody of an account, each by their id. */
export interface PeopleActs {
  changeRole: (id: string, role: AccountRole) => Promise<unknown>;
  resetSecondFactor: (id: string) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
}

const actsAt = (people: string): PeopleActs => ({
  changeRole: (id, role) => patch(`${people}/${one(id)}`, { role }, z.object({})),
  resetSecondFactor: (id) => tell(`${people}/${one(id)}/reset-second-factor`),
  remove: (id) => remove(`${people}/${one(id)}/remove`),
});

/** Of the account of who is signed in. */
export const ownPeople = actsAt('/api/people');
/** Of any account, for administrators of the gateway. */
export const peopleOf = (accountId: string) => actsAt(`/api/admin/accounts/${one(accountId)}/people`);

export const fetchInvitation = (token: string) =>
  post(
    '/api/auth/invitation',
    { token },
    z.object({ accountName: z.string(), email: z.string(), role: accountRole, invitedBy: z.string() }),
  );
export const join = (body: { token: string; name: string; password: string }): Promise<Me> =>
  signedIn(post('/api/auth/join', body, me));
