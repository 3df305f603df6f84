// The seed is data beside the database's schema and part of no project, so it has no name to be imported by;
// this is the services' only door to it.
// oxlint-disable-next-line nx/enforce-module-boundaries
export { seedFiles, type SeedFile } from '../../../../prisma/seed/seed-files';
