'use strict';

/**
 * A line for each handle, of which Node has a diagnostic list only
 * (https://nodejs.org/api/deprecations.html#dep0161), and one for the kinds of all resources.
 */
exports.leftOpen = () => {
  const lines = [...process._getActiveHandles().map(described), process.getActiveResourcesInfo().join(', ')];
  return lines.map((line) => `  ${line}`).join('\n');
};

function described(handle) {
  const kind = handle.constructor?.name ?? typeof handle;
  if (kind === 'ChildProcess') return `${kind} ${handle.pid}: ${(handle.spawnargs ?? []).join(' ')}`;
  if (kind === 'Server') return `${kind} ${JSON.stringify(handle.address?.() ?? null)}`;
  return `${kind} ${handle.localPort ?? ''} ${handle.remoteAddress ?? ''} ${handle.remotePort ?? ''}`.trimEnd();
}
