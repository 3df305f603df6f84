/** Rules of this repository's own that the linter loads (.oxlintrc.json). */
const noExportAll = {
  create: (context) => ({
    ExportAllDeclaration: (node) => {
      if (!node.exported) context.report({ node, message: 'Name what a library exports.' });
    },
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

/** Globals of Node that each test file is given as they are, while it has its own `JSON`, `Date` and `Map`. */
const nodesOwn = new Set([
  ...['Buffer', 'ArrayBuffer', 'Uint8Array', 'Blob', 'TextEncoder', 'TextDecoder', 'URL', 'URLSearchParams'],
  ...['performance', 'crypto', 'AbortController', 'AbortSignal', 'EventTarget', 'MessageChannel', 'MessagePort'],
  ...['Headers', 'Request', 'Response', 'ReadableStream', 'WebSocket'],
]);
const replacing = new Set(['spyOn', 'replaceProperty']);

/**
 * Node's modules and globals are one for all test files of a process, and for what the files before left
 * behind: a spy on them counts, and changes, what others do. It may stand where nobody else can run: in a
 * function that awaits nothing, and takes it away again.
 */
const sharedSpies = {
  create: (context) => ({
    'CallExpression[callee.object.name="jest"]': (node) => {
      const root = rootOf(node.arguments[0]);
      if (!replacing.has(node.callee.property.name) || root === null) return;
      if (!isShared(context.sourceCode.getScope(node), root)) return;
      const around = functionAround(node);
      if (around && !around.async && context.sourceCode.getText(around).includes('.mockRestore()')) return;
      context.report({ node, message: `${root} is shared by all tests of a process: watch an object of your own.` });
    },
  }),
};

/** The name that `name`, `name.prototype` or `name.one.of.it` begins with; null where it begins otherwise. */
function rootOf(target) {
  if (target?.type === 'MemberExpression') return rootOf(target.object);
  return target?.type === 'Identifier' ? target.name : null;
}

function isShared(scope, name) {
  const [definition] = variableOf(scope, name)?.defs ?? [];
  if (!definition) return nodesOwn.has(name);
  return definition.type === 'ImportBinding' && definition.parent.source.value.startsWith('node:');
}

/** What a name means in a scope; undefined: a global. */
function variableOf(scope, name) {
  for (let within = scope; within; within = within.upper) {
    const variable = within.set.get(name);
    if (variable && variable.defs.length > 0) return variable;
  }
  return undefined;
}

function functionAround(node) {
  for (let around = node.parent; around; around = around.parent) if (/Function/.test(around.type)) return around;
  return null;
}

const bounds = new Set(['toBeLessThan', 'toBeLessThanOrEqual']);
const clock = /\b(?:performance|Date)\.now\(\)/;
/** Tests with servers and processes. */
const ofProcesses = /\.(?:integration|e2e|proof)\.spec\.ts$/;

/**
 * A machine that does other things too stands still for seconds: what a test measures by a clock may take
 * `patience` times as long as promised. A process that is stopped (SIGSTOP) goes on until it takes the
 * signal.
 */
const steadyTests = {
  create: (context) => {
    if (!ofProcesses.test(context.filename)) return {};
    const textOf = (node) => context.sourceCode.getText(node);
    /** What was ever given to the names in a text, and to the names in that. */
    const givenIn = (text, scope, seen) =>
      (text.match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? []).flatMap((name) => {
        const variable = variableOf(scope, name);
        if (!variable || seen.has(variable)) return [];
        seen.add(variable);
        return variable.references
          .filter(({ writeExpr }) => writeExpr && !/Function/.test(writeExpr.type))
          .flatMap(({ writeExpr, from }) => [textOf(writeExpr), ...givenIn(textOf(writeExpr), from, seen)]);
      });
    const originsOf = (node) => givenIn(textOf(node), context.sourceCode.getScope(node), new Set());
    const isOfClock = (texts) => texts.some((text) => clock.test(text));
    /**
     * A clock that is read within the assertion, or a difference of two readings that got a name before. What
     * is compared with another reading is an order of events.
     */
    const isTime = (node, bound) => {
      if (isOfClock([textOf(node)])) return true;
      const given = originsOf(node);
      const isDifference = [textOf(node), ...given].some((text) => text.includes(' - '));
      return isDifference && isOfClock(given) && !isOfClock(originsOf(bound));
    };
    return {
      CallExpression: ({ callee, arguments: [bound] }) => {
        const asked = callee.object?.type === 'CallExpression' ? callee.object : null;
        if (!bounds.has(callee.property?.name) || asked?.callee.name !== 'expect' || !asked.arguments[0]) return;
        if (isTime(asked.arguments[0], bound) && !/\bpatience\b/.test(textOf(bound)))
          context.report({ node: bound, message: 'A bound on time is times the patience of @tollgate/testing.' });
      },
      'Literal[value="SIGSTOP"]': (node) => {
        const message = 'Wait until it stands still: freeze() of @tollgate/testing, or pause() of a server.';
        context.report({ node, message });
      },
    };
  },
};

// oxlint takes a plugin as the default export of its file.
export default {
  meta: { name: 'tollgate' },
  rules: {
    'no-export-all': noExportAll,
    'comment-width': commentWidth,
    'shared-spies': sharedSpies,
    'steady-tests': steadyTests,
  },
};
