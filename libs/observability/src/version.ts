/** The release that this program was built from (https://semver.org), such as `1.2.0`. */
// oxlint-disable-next-line nx/enforce-module-boundaries -- the one place that says which release this is lies above all projects
export { version } from '../../../package.json';
