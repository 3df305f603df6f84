import { accountRole, invitation, member } from '@tollgate/contracts';
import type { AccountRole, Invitation } from '@tollgate/contracts';
import { z } from 'zod/mini';
import type { Me } from './auth';
import { signedIn, me } from './auth';
import { get, patch, post, tell } from './client';

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
export const invite = (body: NewInvitation): Promise<MadeInvitation> =>
  post('/api/people/invitations', body, z.object({ invitation, link: z.nullable(z.string()) }));
export const withdrawInvitation = (id: string) => tell(`/api/people/invitations/${one(id)}/withdraw`);
export const changeRole = (id: string, role: AccountRole) => patch(`/api/people/${one(id)}`, { role }, z.object({}));
export const resetSecondFactor = (id: string) => tell(`/api/people/${one(id)}/reset-second-factor`);
export const removePerson = (id: string) => tell(`/api/people/${one(id)}/remove`);

export const fetchInvitation = (token: string) =>
  post(
    '/api/auth/invitation',
    { token },
    z.object({ accountName: z.string(), email: z.string(), role: accountRole, invitedBy: z.string() }),
  );
export const join = (body: { token: string; name: string; password: string }): Promise<Me> =>
  signedIn(post('/api/auth/join', body, me));
