/** What constructors ask for with `@Inject(DATABASE)`: the tables of the catalog. */
export const DATABASE = Symbol('database of the catalog');
