import { existsSync, readFileSync } from 'node:fs';

/**
 * Reads variables of the environment; for a name `X`, `X_FILE` may name a file that holds the value. Files
 * are read anew each time, so that a replaced secret takes effect.
 */
export class EnvironmentSecrets {
  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  /** The first that is set and not blank; undefined when none is. */
  first(names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = this.read(name);
      if (value) return value;
    }
    return undefined;
  }

  /** The same, where a variable may hold several keys, between commas or on lines of their own; each once. */
  keys(names: readonly string[]): string[] {
    return [...new Set((this.first(names) ?? '').split(/[\s,]+/).filter((key) => key !== ''))];
  }

  /** The text of a file; undefined when there is none. */
  file(path: string): string | undefined {
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  }

  private read(name: string): string | undefined {
    const file = this.environment[`${name}_FILE`];
    return (file ? this.file(file) : undefined) ?? this.environment[name]?.trim();
  }
}
