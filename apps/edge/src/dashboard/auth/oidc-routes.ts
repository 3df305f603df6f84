import { GatewayError, peopleOperations } from '@tollgate/contracts';
import { z } from 'zod';
import { Redirect, route } from '../route';
import type { Backstage } from '../backstage';
import type { Asked } from '../route';

/** Signing in with an OpenID provider: there and back. The answers are redirects, since a person's browser follows them. */
export const oidcRoutes = [
  route({
    method: 'GET',
    path: '/api/auth/oidc',
    access: 'anyone',
    summary: 'Sign in with the OpenID provider (a redirect to it)',
    handle: (asked, backstage) => atTheLeast(() => begin(asked, backstage)),
  }),
  route({
    method: 'GET',
    path: '/api/auth/oidc/callback',
    access: 'anyone',
    summary: 'Where the OpenID provider sends the browser back to',
    query: z.looseObject({}),
    handle: (asked, backstage) => atTheLeast(() => finish(asked, backstage)),
  }),
];

async function begin({ cookie }: Asked<null, unknown, unknown>, backstage: Backstage): Promise<Redirect> {
  const { url, token } = await backstage.ask(peopleOperations.oidcBegin, {});
  cookie.beginAttempt(token);
  return new Redirect(url);
}

async function finish(
  { cookie, search, client }: Asked<null, unknown, unknown>,
  backstage: Backstage,
): Promise<Redirect> {
  const token = cookie.takeAttempt();
  if (token === null) throw new GatewayError(400, 'This browser did not begin to sign in; try again.');
  const session = await backstage.ask(peopleOperations.oidcFinish, { token, query: search, ...client });
  cookie.open(session.token, session.expiresAt);
  return new Redirect('/');
}

/** What goes wrong is told on the page for signing in. */
async function atTheLeast(work: () => Promise<Redirect>): Promise<Redirect> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return new Redirect(`/sign-in?error=${encodeURIComponent(error.message)}`);
  }
}
