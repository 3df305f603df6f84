import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, 'providers');

describe('every oddity of a provider', () => {
  it.each(readdirSync(folder))('of %s has a sentence and the page it is known from right above it', (file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const start = lines.findIndex((line) => line.includes('quirks: {'));
    if (start < 0) return;
    const quirks = lines.slice(start + 1, lines.indexOf('  },', start));
    const comment: string[] = [];
    for (const line of quirks) {
      if (line.trim().startsWith('//')) comment.push(line);
      else {
        expect({ line, reason: comment.join(' ') }).toEqual({
          line,
          reason: expect.stringMatching(/\w+ .*https:\/\//),
        });
        comment.length = 0;
      }
    }
  });
});
