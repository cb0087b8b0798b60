import { STEP_CODES } from '../../src/gateway/insight/explanation/sentences';
import { MarkdownPage } from '../support/markdown-page';

describe('docs/use/explanation.md', () => {
  it('describes every code of a step, and no other', () => {
    const cells = MarkdownPage.read('use/explanation.md')
      .table('`code`')
      .map(([codes = '']) => codes);
    const described = cells.flatMap((codes) => Array.from(codes.matchAll(/`(\w+)`/g), ([, code]) => code));
    expect(described.sort()).toEqual([...STEP_CODES].sort());
  });
});
