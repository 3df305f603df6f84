import { z } from 'zod';

const told = z.object({ csrfToken: z.string() });

/**
 * A browser as the dashboard's API sees it: it keeps cookies, says where its page is from, and knows the CSRF
 * token that it was told last.
 */
export class Browser {
  readonly cookies = new Map<string, string>();
  csrfToken = '';

  constructor(private readonly url: string) {}

  /** A browser with a session that began elsewhere. */
  static async withSession(url: string, token: string): Promise<Browser> {
    const browser = new Browser(url);
    browser.cookies.set('tollgate_session', token);
    await browser.visit();
    return browser;
  }

  /** Loads the page: it is told who it is, and its CSRF token. */
  async visit(): Promise<Response> {
    const response = await this.get('/api/auth/me');
    const body = told.safeParse(await response.clone().json());
    if (body.success) this.csrfToken = body.data.csrfToken;
    return response;
  }

  get(path: string, signal?: AbortSignal): Promise<Response> {
    return this.ask('GET', path, undefined, {}, signal);
  }

  post(path: string, body: object = {}, headers: Record<string, string | undefined> = {}): Promise<Response> {
    return this.ask('POST', path, body, headers);
  }

  /** `headers` replace those that a page of ours would send; undefined leaves one out. */
  async ask(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string | undefined> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const sent = {
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(method === 'GET' ? {} : this.changing()),
      ...headers,
    };
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: Object.entries(sent).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : [])),
      redirect: 'manual',
      signal: signal ?? null,
      ...(body && { body: JSON.stringify(body) }),
    });
    this.keep(response.headers.getSetCookie());
    return response;
  }

  private changing() {
    return { 'content-type': 'application/json', origin: this.url, 'x-csrf-token': this.csrfToken };
  }

  private keep(setCookies: readonly string[]): void {
    for (const line of setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
