/** What the bundler tells of modules. */
interface Modules {
  getModuleInfo: (id: string) => { isEntry: boolean; importers: string[]; dynamicImporters: string[] } | null;
}

/**
 * Files of what pages share: of all, of the landing page and others, of the forms without an account and
 * others, of guides and others, and of everything behind the sign-in, with its pages, most of which are of
 * two or three kilobytes. Each needs those before it alone, as a module's own needs come along where no file
 * before has them.
 */
export const chunks = ['first', 'landing', 'forms', 'guides', 'work'] as const;
type Chunk = (typeof chunks)[number];

/** What is large, and not of every page behind the sign-in. */
const byItself = /\/playground\/|\/usage\/chart\.tsx$|\/settings\/enrolment-code\.tsx$/;

/**
 * The file in which a module is fetched: few for each page, as each costs a way to the gateway and back, and
 * none that a visitor has no need of. Null: with the one page that needs it.
 */
export function chunkOf(id: string, modules: Modules): Chunk | null {
  const pages = entriesOf(id, modules);
  const leads = (name: string) => pages.some((page) => page.includes(name));
  if (leads('/index.html') || (leads('/landing/') && leads('/session/'))) return 'first';
  const isVisitors = pages.some((page) => /\/(landing|session|docs)\//.test(page));
  if (!isVisitors && !pages.every((page) => byItself.test(page))) return 'work';
  if (pages.length < 2) return null;
  if (leads('/landing/')) return 'landing';
  if (leads('/session/')) return 'forms';
  return leads('/docs/') ? 'guides' : 'work';
}

/** Everything that is fetched by itself and needs a module: pages, and the frame around them. */
function entriesOf(id: string, modules: Modules, seen = new Set<string>()): string[] {
  if (seen.has(id)) return [];
  seen.add(id);
  const told = modules.getModuleInfo(id);
  if (!told) return [];
  const own = told.isEntry || told.dynamicImporters.length > 0 ? [id] : [];
  return [...own, ...told.importers.flatMap((importer) => entriesOf(importer, modules, seen))];
}
