import { writeFileSync } from 'node:fs';
import { usersFile, usersFileText } from './users-file';

writeFileSync(usersFile, usersFileText());
