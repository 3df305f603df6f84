import { z } from 'zod';

const visitor = z.object({ csrfToken: z.string() });

/** Whom `makeFirstAdministrator` made, as the person's browser knows it. */
export interface FirstAdministrator {
  email: string;
  password: string;
  /** Of the visitor who signs in. */
  cookie: string;
  /** Of the session that began with it. */
  session: string;
  csrfToken: string;
}

/** Makes the first administrator of an installation that was just started, as its page does. */
export async function makeFirstAdministrator(origin: string, secret: string): Promise<FirstAdministrator> {
  const email = 'operator@example.com';
  const password = 'a long enough password of an operator';
  const first = await fetch(`${origin}/api/auth/me`);
  const cookie = cookiesOf(first);
  const { csrfToken } = visitor.parse(await first.json());
  const made = await fetch(`${origin}/api/auth/first-administrator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, cookie, 'x-csrf-token': csrfToken },
    body: JSON.stringify({ secret, name: 'Operator', email, password }),
  });
  if (!made.ok) throw new Error(`The first administrator was refused: ${made.status} ${await made.text()}`);
  await made.text();
  return { email, password, cookie, session: cookiesOf(made), csrfToken };
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .join('; ');
}
