/** Rules of this repository's own that the linter loads (.oxlintrc.json). */
const noExportAll = {
  create: (context) => ({
    ExportAllDeclaration: (node) => context.report({ node, message: 'Name what a library exports.' }),
  }),
};

const commentColumns = 110;
/** A directive is read by a program, which takes one line of it. */
const directive = /\b(?:eslint|oxlint|oxfmt)-|@ts-|@vite-ignore|__PURE__/;

/** Comments are read like a page: a line that could be broken ends at 110 columns. */
const commentWidth = {
  create: (context) => ({
    Program: () => {
      for (const comment of context.sourceCode.getAllComments()) {
        const isTooWide = ({ length }, isFirst) =>
          (isFirst ? comment.loc.start.column + 2 : 0) + length > commentColumns;
        const lines = comment.value.split('\n');
        const wide = lines.some(
          (line, index) =>
            isTooWide(line, index === 0) && /\S\s+\S/.test(line.slice(0, commentColumns).replace(/^\s*\*?\s*/, '')),
        );
        if (wide && !directive.test(comment.value))
          context.report({ loc: comment.loc, message: `A line of a comment ends at ${commentColumns} columns.` });
      }
    },
  }),
};

// oxlint takes a plugin as the default export of its file.
export default { meta: { name: 'tollgate' }, rules: { 'no-export-all': noExportAll, 'comment-width': commentWidth } };
