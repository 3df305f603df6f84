import { GatewayError } from '@tollgate/contracts';
import { peopleOperations } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { Redirect, route } from '../route';
import type { DashboardServices } from '../dashboard-services';
import type { Asked } from '../route';

/**
 * Signing in with an OpenID provider: there and back. The answers are redirects, since a person's browser
 * follows them.
 */
export const oidcRoutes = [
  route({
    method: 'GET',
    path: '/api/auth/oidc',
    access: 'anyone',
    summary: 'Sign in with the OpenID provider (a redirect to it)',
    handle: (asked, services) => atTheLeast(() => begin(asked, services)),
  }),
  route({
    method: 'GET',
    path: '/api/auth/oidc/callback',
    access: 'anyone',
    summary: 'Where the OpenID provider sends the browser back to',
    query: z.looseObject({}),
    handle: (asked, services) => atTheLeast(() => finish(asked, services)),
  }),
];

async function begin(
  { cookie, client }: Asked<null, unknown, unknown>,
  services: DashboardServices,
): Promise<Redirect> {
  const { url, token } = await services.ask(peopleOperations.oidcBegin, { address: client.address });
  cookie.beginAttempt(token);
  return new Redirect(url);
}

async function finish(
  { cookie, search, client }: Asked<null, unknown, unknown>,
  services: DashboardServices,
): Promise<Redirect> {
  const token = cookie.takeAttempt();
  if (token === null) throw new GatewayError(400, 'This browser did not begin to sign in; try again.');
  const session = await services.ask(peopleOperations.oidcFinish, { token, query: search, ...client });
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
