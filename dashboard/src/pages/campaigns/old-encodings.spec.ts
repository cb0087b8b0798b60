import { guessEncoding, sampleOf } from './old-encodings';

it.each([
  [['und-IL', 'en'], 'windows-1255'],
  [['en', 'en-US', 'he'], 'windows-1255'],
  [['ru'], 'windows-1251'],
  [['und-UA'], 'windows-1251'],
  [['und-GB', 'de', 'ru'], 'windows-1252'],
  [['pl-PL'], 'windows-1250'],
  [['tr'], 'windows-1254'],
  [['el-GR'], 'windows-1253'],
  [['ar'], 'windows-1256'],
  [['en-US', 'no language'], 'windows-1252'],
  [[], 'windows-1252'],
])('the languages %j lead to %s', (tags, encoding) => {
  expect(guessEncoding(tags)).toBe(encoding);
});

it('shows the first lines that have other letters', () => {
  const text = Array.from('phone,name\n+491511,', (letter) => letter.charCodeAt(0));
  const bytes = new Uint8Array([...text, 0xf9, 0xec, 0xe5, 0xed]);
  expect(sampleOf(bytes, 'windows-1255')).toEqual(['+491511,שלום']);
  expect(sampleOf(bytes, 'windows-1251')).toEqual(['+491511,щмен']);
  expect(sampleOf(new Uint8Array(text), 'koi8-r')).toEqual([]);
});
