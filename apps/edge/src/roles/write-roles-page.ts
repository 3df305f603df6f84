import { writeFileSync } from 'node:fs';
import { rolesFile, rolesPage } from './roles-page';

writeFileSync(rolesFile, rolesPage());
