import { PROBLEM_CODES } from '../../src/gateway/insight/problems/problems';
import { MarkdownPage } from '../support/markdown-page';

describe('docs/use/problems.md', () => {
  it('describes every code of a problem, and no other', () => {
    const cells = MarkdownPage.read('use/problems.md')
      .table('`code`')
      .map(([codes = '']) => codes);
    const described = cells.flatMap((codes) => Array.from(codes.matchAll(/`(\w+)`/g), ([, code]) => code));
    expect(described.sort()).toEqual([...PROBLEM_CODES].sort());
  });
});
