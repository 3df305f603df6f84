import { z } from 'zod';
import type { Stack } from '../../stack/stack';

const told = z.object({ csrfToken: z.string() });

/** Somebody at the dashboard: keeps cookies, and says what a page of ours would say. */
export class Person {
  private readonly cookies = new Map<string, string>();
  private csrfToken = '';

  constructor(
    readonly baseUrl: string,
    readonly email: string,
    readonly password: string,
  ) {}

  /** Somebody without an account. */
  static async visitor(stack: Stack): Promise<Person> {
    const person = new Person(stack.baseUrl, '', '');
    await person.visit();
    return person;
  }

  /** Makes the first administrator of the stack. */
  static async firstAdministrator(stack: Stack, email: string, password: string): Promise<Person> {
    const person = new Person(stack.baseUrl, email, password);
    const secret = stack.bootstrapSecret;
    await person.mustPost('/api/auth/first-administrator', { secret, name: 'Administrator', email, password });
    await person.visit();
    return person;
  }

  /** Asks for access; the account waits for approval. */
  static async signUp(stack: Stack, name: string, email: string, password: string, purpose: string): Promise<Person> {
    const person = new Person(stack.baseUrl, email, password);
    await person.mustPost('/api/auth/sign-up', { name, email, password, purpose });
    await person.visit();
    return person;
  }

  /** What a request of this person carries. `changes`: it is none that only reads. */
  headers(changes: boolean): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return {
      ...(cookie ? { cookie } : {}),
      ...(changes ? { origin: this.baseUrl, 'x-csrf-token': this.csrfToken } : {}),
    };
  }

  async ask(method: string, path: string, body?: unknown): Promise<Response> {
    const changes = method !== 'GET';
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { ...this.headers(changes), ...(changes ? { 'content-type': 'application/json' } : {}) },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** @throws Error when it is refused. */
  async mustPost(path: string, body: unknown): Promise<unknown> {
    if (this.csrfToken === '') await this.visit();
    const response = await this.ask('POST', path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  /** Loads the page. */
  private async visit(): Promise<void> {
    this.csrfToken = told.parse(await (await this.ask('GET', '/api/auth/me')).json()).csrfToken;
  }
}
