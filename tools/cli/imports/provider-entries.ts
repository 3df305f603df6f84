import type { ProviderDefinition, ServerName } from '@tollgate/contracts/catalog';
import type { SettingsReport } from './settings-report';
import { keyVariable, type WrittenProvider } from './written-file';

/**
 * How a deployment reaches its provider: the built-in one or a kind of server, where, and with which key.
 * Null: what is usual.
 */
export interface Place {
  /** What its entry is called where it is none that is built in. */
  name: string | null;
  provider: string | null;
  preset: ServerName | null;
  baseUrl: string | null;
  /**
   * A reference to an environment variable, a key as it is, or null: the usual variable. `kept`: where the
   * key is, when it stood not in the file, and `literal` only tells it from others.
   */
  key: { env: string } | { literal: string; kept?: string } | null;
  headers: Record<string, string>;
  timeouts: { idleMs?: number; totalMs?: number };
}

/** Names of headers that hold credentials. */
const isSecretHeader = /auth|cookie|key|passw|pepper|secret|token|-vk$/i;

/**
 * The entries of `providers`, one for each way of reaching one. The first that differs from a built-in
 * provider only in its key is that provider with another variable; others are copies of it with a number.
 * Keys never come into an entry, it names the variable that has to hold it, nor do headers that are called as
 * if they held one.
 */
export class ProviderEntries {
  private readonly byPlace = new Map<string, string>();
  private readonly written = new Map<string, WrittenProvider | null>();

  constructor(
    private readonly builtIn: ReadonlyMap<string, ProviderDefinition>,
    private readonly report: SettingsReport,
    /** What the report calls the key of a place. */
    private readonly keySetting: string,
  ) {}

  /** The id of the provider that stands for a place. */
  idFor(wish: Place): string {
    const base = wish.provider === null ? undefined : this.builtIn.get(wish.provider);
    const place = { ...wish, key: unusual(wish.key, base) };
    const known = this.byPlace.get(JSON.stringify(place));
    if (known !== undefined) return known;
    if (wish.key !== null && 'env' in wish.key)
      this.report.carried(this.keySetting, 'an environment variable stays one: set the same for inference');
    const id = this.freeId(place.name ?? place.provider ?? place.preset ?? 'server');
    this.byPlace.set(JSON.stringify(place), id);
    this.written.set(id, this.entry(id, place, base));
    return id;
  }

  /** In the order in which they were asked for; without those that are built in as they are. */
  get entries(): WrittenProvider[] {
    return [...this.written.values()].filter((entry) => entry !== null);
  }

  /** Adds to what the entry of a provider says; one that is built in as it is gets an entry. */
  add(id: string, said: Record<string, unknown>): void {
    this.written.set(id, { id, ...this.written.get(id), ...said });
  }

  private freeId(wish: string): string {
    if (!this.written.has(wish)) return wish;
    let number = 2;
    while (this.written.has(`${wish}-${number}`) || this.builtIn.has(`${wish}-${number}`)) number++;
    return `${wish}-${number}`;
  }

  private entry(id: string, place: Place, base: ProviderDefinition | undefined): WrittenProvider | null {
    const key = this.keyOf(id, place);
    const headers = this.headersOf(place);
    const own = {
      ...(place.baseUrl !== null && { baseUrl: place.baseUrl }),
      ...(key !== null && { apiKeyEnv: key }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(place.timeouts).length > 0 && { timeouts: place.timeouts }),
    };
    if (base === undefined) return { id, preset: place.preset, ...own };
    const isUsualKey = key !== null && base.apiKeyEnv[0] === key && Object.keys(own).length === 1;
    if (id === base.id) return Object.keys(own).length === 0 || isUsualKey ? null : { id, ...own };
    return { id, ...copyOf(base), ...own };
  }

  private headersOf({ headers }: Place): Record<string, string> {
    const isSecret = ([name]: [string, string]): boolean => isSecretHeader.test(name);
    for (const [name] of Object.entries(headers).filter(isSecret))
      this.report.left(`header ${name}`, 'it may hold a key, which never comes into the file: set it by hand');
    return Object.fromEntries(Object.entries(headers).filter((header) => !isSecret(header)));
  }

  private keyOf(id: string, { key, provider, preset }: Place): string | null {
    if (key === null) return null;
    if ('env' in key) return key.env;
    const variable = keyVariable(id);
    const kept = key.kept ?? 'the key stood in the file';
    const note = `${kept}; set ${variable} of inference to it (${provider ?? preset ?? id})`;
    this.report.changed(this.keySetting, note);
    return variable;
  }
}

/** Null for the variable that the provider's key is in anyway. */
function unusual(key: Place['key'], base: ProviderDefinition | undefined): Place['key'] {
  if (key === null || 'literal' in key) return key;
  return base?.apiKeyEnv.includes(key.env) ? null : key;
}

/** All that makes a built-in provider what it is, for another entry of the same kind. */
function copyOf(base: ProviderDefinition): Record<string, unknown> {
  const { dialect, alsoSpeaks, alsoAt, baseUrl, placeholders, authentication, apiKeyEnv, documentation, quirks } = base;
  const said = Object.entries(quirks).filter(
    ([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
  );
  return {
    ...{ dialect, baseUrl, authentication, apiKeyEnv, queues: false },
    ...(Object.keys(placeholders).length > 0 && { placeholders }),
    ...(alsoSpeaks.length > 0 && { alsoSpeaks }),
    ...(alsoAt.length > 0 && { alsoAt }),
    ...(documentation !== undefined && { documentation }),
    ...(said.length > 0 && { quirks: Object.fromEntries(said) }),
  };
}
