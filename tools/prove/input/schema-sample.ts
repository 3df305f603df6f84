import type { Chance } from '@tollgate/testing';
import { hostileValues } from './hostile';

/** A JSON schema as far as samples are made from it. */
export type Schema = Record<string, unknown>;

const mostDepth = 6;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const schemasIn = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Makes values that a schema describes, and now and then one that it does not. */
export class SchemaSampler {
  constructor(
    private readonly chance: Chance,
    private readonly named: Record<string, Schema>,
    /** Plausible strings: model ids, ids of things that exist. */
    private readonly words: readonly string[],
  ) {}

  sample(schema: Schema, depth = 0): unknown {
    const { chance } = this;
    if (depth > mostDepth || chance.happens(0.04)) return chance.pick(hostileValues);
    const { $ref } = schema;
    if (typeof $ref === 'string') return this.sample(this.named[$ref.split('/').pop() ?? ''] ?? {}, depth);
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return chance.pick<unknown>(schema.enum);
    const choices = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
    if (choices.length > 0) return this.sample(chance.pick(choices), depth);
    const all = schemasIn(schema.allOf);
    if (all.length > 0) return Object.assign({}, ...all.map((one) => this.sample(one, depth))) as unknown;
    return this.ofType(schema, depth);
  }

  private ofType(schema: Schema, depth: number): unknown {
    const type = Array.isArray(schema.type) ? this.chance.pick<unknown>(schema.type) : schema.type;
    if (type === 'object') return this.object(schema, depth);
    if (type === 'array') return this.array(schema, depth);
    if (type === 'string') return this.chance.pick(this.words);
    if (type === 'integer') return this.number(schema, true);
    if (type === 'number') return this.number(schema, false);
    if (type === 'boolean') return this.chance.happens(0.5);
    return type === 'null' ? null : this.chance.pick(hostileValues);
  }

  private object(schema: Schema, depth: number): Record<string, unknown> {
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
    const members = Object.entries(isSchema(schema.properties) ? schema.properties : {});
    const taken = members.filter(([name]) => this.chance.happens(required.includes(name) ? 0.95 : 0.35));
    return Object.fromEntries(taken.map(([name, one]) => [name, isSchema(one) ? this.sample(one, depth + 1) : null]));
  }

  private array(schema: Schema, depth: number): unknown[] {
    const { items } = schema;
    const length = this.chance.below(4);
    return Array.from({ length }, () =>
      isSchema(items) ? this.sample(items, depth + 1) : this.chance.pick(hostileValues),
    );
  }

  private number({ minimum, maximum }: Schema, whole: boolean): number {
    const least = typeof minimum === 'number' ? minimum : -10;
    const most = typeof maximum === 'number' ? Math.min(maximum, least + 1_000) : least + 1_000;
    const value = least + this.chance.next() * (most - least);
    return whole ? Math.round(value) : value;
  }
}
