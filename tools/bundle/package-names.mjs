import { createRequire } from 'node:module';

/** `@nestjs/core` of `@nestjs/core/injector/injector`. */
export function nameOf(path) {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

/** The names of what a package exports, but for `default`, which is all of it. */
export function exportsOf(path) {
  return Object.keys(createRequire(import.meta.url)(path)).filter((name) =>
    /^(?!default$)[A-Za-z_$][\w$]*$/.test(name),
  );
}

export function byName(one, other) {
  return one < other ? -1 : 1;
}
