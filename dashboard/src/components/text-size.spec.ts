import { sizeOfDraft, withPlainCharacters } from './text-size';

describe('the size of a draft', () => {
  it.each([
    ['', 1, 0, 160],
    ['a'.repeat(160), 1, 160, 160],
    ['a'.repeat(161), 2, 161, 306],
    ['€'.repeat(80), 1, 160, 160],
    ['€'.repeat(81), 2, 162, 306],
    [`${'a'.repeat(68)}👍`, 1, 70, 70],
    [`${'a'.repeat(69)}👍`, 2, 71, 134],
  ])('%#', (text, segments, used, room) => {
    expect(sizeOfDraft(text)).toMatchObject({ segments, used, room });
  });

  it('names what makes it Unicode', () => {
    expect(sizeOfDraft('It’s 👍, isn’t it').offending).toEqual(['’', '👍']);
    expect(sizeOfDraft('plain').offending).toEqual([]);
    expect(sizeOfDraft('👍').characters).toBe(1);
  });
});

describe('plain characters', () => {
  it('replace those of word processors', () => {
    expect(withPlainCharacters('It’s “fine” – almost…')).toBe('It\'s "fine" - almost...');
  });

  it('are none for an emoji', () => expect(withPlainCharacters('It’s 👍')).toBeUndefined());
});
