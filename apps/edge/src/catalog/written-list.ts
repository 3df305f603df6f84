import type { CatalogModel } from '@tollgate/contracts';

/** Keys may see different models; a quarter of a megabyte each. */
const mostKept = 8;

/**
 * A list of models as JSON. It is written once for those that have the same models in it, as clients ask for
 * it at each start and hardly any two differ: a quarter of a megabyte with all prices, and everybody waited
 * while one caller asked 150 times a second.
 */
export class WrittenList {
  /** The one that was asked for last stands first. */
  private written: readonly { readonly models: readonly CatalogModel[]; readonly text: Buffer }[] = [];

  constructor(private readonly form: (models: readonly CatalogModel[]) => object) {}

  /** The list of these models, of which a newer catalog holds new ones. */
  of(models: readonly CatalogModel[]): Buffer {
    const known = this.written.find((list) => isSame(list.models, models));
    const list = known ?? { models, text: Buffer.from(JSON.stringify(this.form(models))) };
    this.written = [list, ...this.written.filter((other) => other !== list)].slice(0, mostKept);
    return list.text;
  }
}

function isSame(one: readonly CatalogModel[], other: readonly CatalogModel[]): boolean {
  return one.length === other.length && one.every((model, index) => model === other[index]);
}
