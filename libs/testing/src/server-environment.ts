/** What a program of somebody else's may need: where things are, and in which language and time it speaks. */
const needed = /^(?:PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TZDIR|TMPDIR|LD_LIBRARY_PATH|DYLD_\w+|GO[A-Z]+)$/;

/**
 * The environment of a server that is no service of ours, with `more` in it. Whoever starts it may hold keys
 * of providers, which are for inference alone.
 */
export function serverEnvironment(more: Readonly<NodeJS.ProcessEnv> = {}): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(([name]) => needed.test(name));
  return { ...Object.fromEntries(given), ...more };
}
