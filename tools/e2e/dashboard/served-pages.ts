import { addressOf, adminPages, userPages, visitorPages } from './every-page';
import type { Things } from './every-page';

/**
 * What a browser gets at each address is the one page of the application, whose scripts and styles are found
 * wherever it stands. That it draws there what belongs there is the work of `npm run prove -- web`, in a
 * browser.
 */
export function servedPages(baseUrl: () => string, things: () => Things): void {
  it('is what a browser gets at its address', async () => {
    const pageAt = async (path: string) => {
      const response = await fetch(baseUrl() + path, { headers: { accept: 'text/html' } });
      return { path, status: response.status, text: await response.text() };
    };
    const { text } = await pageAt('/');
    const files = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(files).toContainEqual(expect.stringMatching(/^\/assets\/.+\.js$/));
    expect(files.filter((address) => !/^(\/|data:)/.test(address ?? ''))).toEqual([]);
    for (const path of [...visitorPages, ...userPages, ...adminPages].map((one) => addressOf(one, things())))
      expect(await pageAt(path)).toEqual({ path, status: 200, text });
  });
}
