import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MarkdownPage } from '../support/markdown-page';
import { ROOT } from '../support/checkout';

const FOLDER = join(ROOT, 'docs', 'build', 'adr');
const records = readdirSync(FOLDER).filter((name) => name !== 'README.md');

describe('docs/build/adr', () => {
  it.each(records)('%s has its number, a date and a status', (name) => {
    const [title = '', , status = ''] = readFileSync(join(FOLDER, name), 'utf8').split('\n');
    expect(title).toMatch(new RegExp(`^# ${name.slice(0, 4)}\\. \\S`));
    expect(status).toMatch(/^Date: \d{4}-\d\d-\d\d\. Status: (accepted|superseded by \[\d{4}\]\(.+\))\.$/);
  });

  it('lists every record with its title', () => {
    const listed = MarkdownPage.read('build/adr/README.md').table('No.');
    const expected = records.map((name) => {
      const [title = ''] = readFileSync(join(FOLDER, name), 'utf8').split('\n');
      return [name.slice(0, 4), `[${title.replace(/^# \d{4}\. /, '')}](${name})`];
    });
    expect(listed).toEqual(expected);
  });
});
