import { buildServices } from '../stack/build';

buildServices({ always: true }).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
