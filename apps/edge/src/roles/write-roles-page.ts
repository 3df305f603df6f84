import { writeFileSync } from 'node:fs';
import { rolesFile } from './roles-file';
import { rolesPage } from './roles-page';

writeFileSync(rolesFile, rolesPage());
