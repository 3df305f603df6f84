/**
 * What a program of somebody else's may need: where things are, in which language and time it speaks, and
 * what Go reads in nats-server. https://pkg.go.dev/runtime#hdr-Environment_Variables
 */
const needed = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'TZ', 'TZDIR', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'],
  ...['DYLD_FALLBACK_LIBRARY_PATH', 'LANG', 'LANGUAGE', 'LOCPATH', 'LOCALE_ARCHIVE', 'LC_ALL', 'LC_COLLATE'],
  ...['LC_CTYPE', 'LC_MESSAGES', 'LC_MONETARY', 'LC_NUMERIC', 'LC_TIME'],
  ...['GODEBUG', 'GOGC', 'GOMAXPROCS', 'GOMEMLIMIT', 'GOTRACEBACK'],
]);

/**
 * The environment of a server that is no service of ours, with `more` in it. Whoever starts it may hold keys
 * of providers, which are for inference alone.
 */
export function serverEnvironment(more: Readonly<NodeJS.ProcessEnv> = {}): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(([name]) => needed.has(name));
  return { ...Object.fromEntries(given), ...more };
}
