import { readFileSync } from 'node:fs';
import { usersFile, usersFileText } from './users-file';

it('is what the table of permissions says (npm run nats:users writes it)', () => {
  expect(readFileSync(usersFile, 'utf8')).toBe(usersFileText());
});
