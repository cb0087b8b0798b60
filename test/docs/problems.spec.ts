import { PROBLEM_CODES } from '../../src/gateway/problems/problems';
import { MarkdownPage } from '../support/markdown-page';

describe('docs/problems.md', () => {
  it('describes every code of a problem, and no other', () => {
    const cells = MarkdownPage.read('problems.md')
      .table('`code`')
      .map(([codes = '']) => codes);
    const described = cells.flatMap((codes) => Array.from(codes.matchAll(/`(\w+)`/g), ([, code]) => code));
    expect(described.sort()).toEqual([...PROBLEM_CODES].sort());
  });
});
