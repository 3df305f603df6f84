/** What a line of the audit log says of one thing. `before` undefined: it says only what is so since then. */
export interface AuditChange {
  name: string;
  before: string | undefined;
  after: string;
}

const names: Record<string, string> = {
  rpm: 'Requests per minute',
  tpm: 'Tokens per minute',
  modelLimits: 'Limits of models, a minute',
  quotaTokens: 'Tokens per month',
  cacheTtlS: 'Cached for, seconds',
  logContent: 'Requests and answers',
  tellCost: 'Tells each request its charge',
  tags: 'Tags of each request',
  project: 'Project',
  limitUsd: 'Limit, US dollars',
  limitTokens: 'Limit, tokens',
  soft: 'Serves beyond the limit',
  eachBy: 'Of each',
  eachNames: 'Of these names',
  expiresAt: 'Expires',
  models: 'Allowed models',
  newKeyId: 'New key',
  overlapS: 'Both work for, seconds',
};
const suffix = 'Before';

/**
 * The detail of a line: what was changed, with what it was before. What a line repeats without a change is
 * left out.
 */
export function auditChanges(detail: Readonly<Record<string, unknown>>): AuditChange[] {
  return Object.entries(detail).flatMap(([name, value]): AuditChange[] => {
    if (name.endsWith(suffix) && Object.hasOwn(detail, name.slice(0, -suffix.length))) return [];
    const after = textOf(name, value);
    if (!Object.hasOwn(detail, name + suffix)) return [{ name: nameOf(name), before: undefined, after }];
    const before = textOf(name, detail[name + suffix]);
    return before === after ? [] : [{ name: nameOf(name), before, after }];
  });
}

/** `key-revoked` as people write it. */
export function inWords(action: string): string {
  const words = action.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const nameOf = (name: string): string =>
  names[name] ?? inWords(name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));

const isLimit = (name: string): boolean => ['rpm', 'tpm', 'quotaTokens'].includes(name);

function textOf(name: string, value: unknown): string {
  if (name === 'logContent') return value ? 'logged' : 'not kept';
  if (name === 'expiresAt') return typeof value === 'number' ? new Date(value).toISOString() : 'never';
  if (name === 'models' && Array.isArray(value)) return value.join(', ') || 'all';
  if (name === 'tags' && Array.isArray(value)) return value.join(', ') || 'none';
  if (value === null) return name === 'plan' ? 'as the account’s' : isLimit(name) ? 'as the plan says' : 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString();
  if (Array.isArray(value)) return value.map((one) => textOf('', one)).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
