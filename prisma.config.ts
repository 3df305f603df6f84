import { defineConfig } from 'prisma/config';

// Only authors of migrations need the Prisma CLI and its engine; services apply migrations themselves
// (libs/database).
export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/tollgate' },
});
