// This stands in the page itself, and runs before anything of it is fetched or painted: vite-start.mts.
{
  /** What each address needs beside the first file, by the patterns of the routes; '*': every other. */
  const files: Record<string, readonly string[]> = {};

  // A chosen theme never flashes.
  try {
    const theme = localStorage.getItem('theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is not allowed: the system's theme holds.
  }

  const { pathname } = location;
  const isAt = (path: string) =>
    path.endsWith('/*') ? `${pathname}/`.startsWith(path.slice(0, -1)) : pathname === path;
  for (const file of files[Object.keys(files).find(isAt) ?? '*'] ?? [])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: file }));

  // Every page but the documentation asks first who is signed in: src/api/client.ts takes the answer.
  if (!isAt('/docs/*')) {
    const me = fetch('/api/auth/me');
    me.catch(() => undefined);
    window.asked = { '/api/auth/me': me };
  }
}
