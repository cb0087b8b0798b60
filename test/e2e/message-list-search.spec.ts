import { at, MessageLists } from '../support/message-lists';

const lists = new MessageLists();
beforeAll(() => lists.start());
beforeEach(() => lists.useNewAccount());
afterAll(() => lists.stop());
const { store, list, find, expectError } = lists;

describe('message list search', () => {
  it('matches the text literally, ignoring case', async () => {
    const texts = [
      'Rechnung über 12.50 € (netto)',
      'match.*everything',
      'back\\slash and ^caret$ [x-z] {1,2} a|b ?+',
      'Grüße aus ÄÖÜ',
      'party 🎉👍🏽 tonight',
      '100% _under_ "quotes" \'single\'',
      'two\nlines',
    ];
    const ids = await store(texts.map((message) => ({ message })));
    const searches: [string, number[]][] = [
      ['.*', [1]],
      ['(', [0]],
      [')', [0]],
      ['\\', [2]],
      ['\\s', [2]],
      ['\\d', []],
      ['^caret$', [2]],
      ['[x-z]', [2]],
      ['[a-z]', []],
      ['{1,2}', [2]],
      ['a|b', [2]],
      ['?+', [2]],
      ['$', [2]],
      ['(?i)', []],
      ['GRÜSSE', []],
      ['grüße', [3]],
      ['äöü', [3]],
      ['ÜBER', [0]],
      ['€', [0]],
      ['🎉', [4]],
      ['👍🏽', [4]],
      ['😀', []],
      ['%', [5]],
      ['"', [5]],
      ["'", [5]],
      ['two\nlines', [6]],
      ['NETTO', [0]],
      ['e', [0, 1, 2, 3, 5, 6]],
      ['\0', []],
      ['match\0', []],
      ['%00', []],
    ];
    for (const [search, found] of searches) {
      expect([search, await find({ search })]).toEqual([search, found.map((index) => ids[index])]);
    }
    expect((await list({ search: 'e', limit: 2 })).meta).toMatchObject({ total: 6, totalPages: 3 });
    expect(await find({ search: '' })).toEqual(ids);
  });

  it('matches a number in any notation', async () => {
    const [to, from, name] = await store([
      { recipient: '+4915112345678' },
      { direction: 'received', sender: '+493098765' },
      { direction: 'received', sender: 'My Bank (Info)' },
    ]);
    for (const search of ['+49 (151) 123-456 78', '4915112345678', ' 4915112345678', '12345', '12.34/5']) {
      expect([search, await find({ search })]).toEqual([search, [to]]);
    }
    expect(await find({ search: '0-30-9' })).toEqual([from]);
    expect(await find({ search: '0-31-9' })).toEqual([]);
    expect(await find({ search: '+49-30 98765' })).toEqual([from]);
    expect(await find({ search: 'bank (info)' })).toEqual([name]);
    expect(await find({ search: '+49' })).toEqual([to, from]);
  });

  it('does not find encrypted messages', async () => {
    const [, plain] = await store([{ encrypted: true }, { encrypted: false }]);
    expect(await find({ search: 'hello' })).toEqual([plain]);
    expect(await find({ search: '4915112345678' })).toEqual([plain]);
    expect((await list()).data.map(({ message }) => message)).toEqual(['Hello', '']);
  });

  it('rejects a search that takes too long and suggests a narrower one', async () => {
    // Every position matches the start of the search term but not its end, and k has three case variants in Unicode.
    const message = `${'k'.repeat(250_000)}xb`;
    const search = `${'k'.repeat(500)}b`;
    await store([{}, ...Array.from({ length: 60 }, () => ({ message }))]);
    const error = await expectError({ search }, 400, 'SEARCH_TOO_SLOW');
    expect(error.message).toMatch(/narrow it by time/);
    expect(await find({ search, to: at(1).toISOString() })).toEqual([]);
  });
});
