import { z } from 'zod';
import type { Stack } from '../../stack/stack';

/** Who the callers are: the holder of a key, and a person with a browser. */
export interface Credentials {
  apiKey: string;
  email: string;
  password: string;
  /** What the person's browser sends with a change. */
  cookie: string;
  csrfToken: string;
}

const email = 'operator@example.com';
const password = 'a long enough password of an operator';
/** Large enough never to refuse, and limits all the same: every request is counted and reserves. */
const limits = { rpm: 1_000_000, quotaTokens: 1_000_000_000_000 };

const visitor = z.object({ csrfToken: z.string() });

/** Makes a key and the first administrator of a new stack. */
export async function makeCredentials(stack: Stack): Promise<Credentials> {
  const { apiKey } = await stack.createKey({ name: 'chaos', plan: 'enterprise', ...limits });
  const origin = stack.baseUrl;
  const first = await fetch(`${origin}/api/auth/me`);
  const cookie = cookiesOf(first);
  const { csrfToken } = visitor.parse(await first.json());
  const made = await fetch(`${origin}/api/auth/first-administrator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, cookie, 'x-csrf-token': csrfToken },
    body: JSON.stringify({ secret: stack.bootstrapSecret, name: 'Operator', email, password }),
  });
  if (!made.ok) throw new Error(`The first administrator was refused: ${made.status} ${await made.text()}`);
  return { apiKey, email, password, cookie, csrfToken };
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .join('; ');
}
