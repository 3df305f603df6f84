/** Rules of this repository's own that the linter loads (.oxlintrc.json). */
const noExportAll = {
  create: (context) => ({
    ExportAllDeclaration: (node) => context.report({ node, message: 'Name what a library exports.' }),
  }),
};

// oxlint takes a plugin as the default export of its file.
export default { meta: { name: 'tollgate' }, rules: { 'no-export-all': noExportAll } };
