import blind from '../../src/consent/words/corpus-blind.json';
import own from '../../src/consent/words/corpus.json';
import { readWords } from '../../src/consent/words/read-words';
import { MarkdownPage } from '../support/markdown-page';

/** The meanings of the texts, in the order of the table. */
const MEANINGS = ['out', 'in', 'help', 'unclear', 'innocent'];

describe('docs/use/consent.md', () => {
  it('has the results of the texts', () => {
    const counts = MEANINGS.map((meaning) =>
      [own, blind].flatMap((texts) => {
        const labelled = texts.filter((each) => each.meaning === meaning);
        const read = labelled.filter(({ text }) => (readWords(text) ?? 'innocent') === meaning);
        return [String(labelled.length), String(read.length)];
      }),
    );
    const rows = MarkdownPage.read('use/consent.md').table('Meaning of the text');
    expect(rows.map(([, ...cells]) => cells)).toEqual(counts);
  });
});
