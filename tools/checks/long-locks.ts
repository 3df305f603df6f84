/**
 * What a statement of a migration would do to those who use the tables meanwhile, or to the release before
 * this one.
 */
export interface Hazard {
  statement: string;
  why: string;
}

/**
 * Statements that hold a table for as long as all of its rows take to be read or written, whoever else wants
 * it. https://www.postgresql.org/docs/18/sql-altertable.html#SQL-ALTERTABLE-NOTES
 */
const longLocks: readonly (readonly [RegExp, string])[] = [
  [
    /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)/i,
    'builds an index while nobody may write: CREATE INDEX CONCURRENTLY, in a migration of its own',
  ],
  [
    /^ALTER TABLE .*\bADD (?:CONSTRAINT .*?|COLUMN .*)?\b(?:FOREIGN KEY|CHECK|REFERENCES)\b(?!.*\bNOT VALID)/is,
    'reads every row for a constraint: ADD … NOT VALID, then VALIDATE CONSTRAINT in a later migration',
  ],
  [
    /^ALTER TABLE .*\bADD (?:CONSTRAINT .*?|COLUMN .*)?\b(?:UNIQUE|PRIMARY KEY|EXCLUDE)\b(?! USING INDEX)/is,
    'builds an index while nobody may read: CREATE UNIQUE INDEX CONCURRENTLY, then ADD … USING INDEX',
  ],
  [
    /^ALTER TABLE .*\bSET NOT NULL\b/is,
    'reads every row: a CHECK (… IS NOT NULL) that is NOT VALID first, validated in a later migration',
  ],
  [/^ALTER TABLE .*\b(?:ALTER|COLUMN) \S+ (?:SET DATA )?TYPE\b/is, 'writes every row anew: a new column beside it'],
  [/^ALTER TABLE .*\bADD COLUMN .*\b(?:GENERATED (?:ALWAYS|BY DEFAULT) AS\b|\w*SERIAL\b)/is, 'writes every row anew'],
  [
    /^ALTER TABLE .*\bADD COLUMN .*\bDEFAULT (?:\(|(?!now\()\w+\()/is,
    'writes every row anew for a default that is not a constant',
  ],
  [
    /^ALTER TABLE .*\bADD COLUMN (?!.*\bDEFAULT\b).*\bNOT NULL\b/is,
    'fails where there are rows: a default, or a column that may be null',
  ],
  [
    /^ALTER TABLE .*\bATTACH PARTITION\b/is,
    'reads every row of the partition: one that the migration makes, or one with a CHECK in a reviewed migration',
  ],
  [/^LOCK\b/i, 'holds the table until the end of the migration'],
  [/^DO\b/i, 'what it does is not looked at: write its statements'],
  [
    /^(?:UPDATE|DELETE|MERGE|COPY|INSERT INTO .*\bSELECT|WITH|CREATE TABLE .*\bAS (?:SELECT|TABLE|WITH))\b/is,
    'reads or writes as many rows as there are',
  ],
  [/^(?:CREATE|REFRESH) MATERIALIZED VIEW\b/i, 'reads as many rows as there are'],
  [/^(?:CLUSTER|VACUUM\b.*\bFULL|REINDEX (?!.*CONCURRENTLY))/is, 'writes the table anew while nobody may read'],
  [
    /^ALTER TABLE .*\bSET (?:LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD)\b/is,
    'writes the table anew while nobody may read',
  ],
];

/** What the release before still asks for while an upgrade runs, or after one step back. */
const contracts: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:TRUNCATE|DROP (?:TABLE|FUNCTION|VIEW|TYPE)|ALTER TABLE .*\b(?:DROP COLUMN|RENAME))\b/is,
    'takes away what the release before still asks for: a release later',
  ],
];

/**
 * Which statements of a migration would stop others for as long as its tables are large. Tables that it makes
 * itself are empty: whatever is done to those takes no time.
 */
export function hazards(sql: string): Hazard[] {
  const all = statements(sql);
  const made = new Set(
    all.flatMap((statement) => /^CREATE TABLE (?:IF NOT EXISTS )?(\S+)/i.exec(statement)?.[1] ?? []),
  );
  return all
    .filter((statement) => !made.has(tableOf(statement)))
    .flatMap((statement) => {
      const found = [...longLocks, ...contracts].find(([pattern]) => pattern.test(statement));
      return found ? [{ statement, why: found[1] }] : [];
    });
}

/** The table whose rows a statement works on; for an INSERT … SELECT that it reads. Empty: none by name. */
function tableOf(statement: string): string {
  const name = '("?[\\w.]+"?)';
  const places = [
    `^INSERT INTO .*\\bFROM ${name}`,
    `\\bATTACH PARTITION ${name}`,
    `^ALTER TABLE (?:ONLY )?${name}`,
    `^CREATE .*INDEX .*? ON ${name}`,
  ];
  const rest = [`^(?:UPDATE|DELETE FROM) ${name}`, `^DROP TABLE ${name}`];
  for (const place of [...places, ...rest]) {
    const [, table] = new RegExp(place, 'is').exec(statement) ?? [];
    if (table !== undefined) return table;
  }
  return '';
}

/** The statements of a script, in one line each, without comments and without what functions hold. */
export function statements(sql: string): string[] {
  const plain = sql
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "'body'")
    .replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, (found) => (found.startsWith("'") ? "''" : ' '));
  return plain
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}
