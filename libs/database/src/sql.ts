/** What all generated clients share of Prisma's namespace: raw SQL, and the errors that a query ends with. */
export {
  DbNull,
  empty,
  join,
  PrismaClientKnownRequestError,
  raw,
  Sql,
  sqltag as sql,
} from '@prisma/client/runtime/client';
