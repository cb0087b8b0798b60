/** Regions of Unicode that are no countries, or have no numbers of their own. */
const NO_COUNTRIES = new Set([
  'AQ',
  'BV',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'GS',
  'HM',
  'IC',
  'PN',
  'QO',
  'TF',
  'UM',
  'UN',
  'XA',
  'XB',
  'ZZ',
]);

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');

/** The countries by their names in a language, in its order. */
export function countriesIn(language: string): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return codes
    .filter((code) => !NO_COUNTRIES.has(code) && new Intl.Locale(`und-${code}`).region === code)
    .flatMap((code) => {
      const name = names.of(code);
      return name ? [{ value: code, label: name }] : [];
    })
    .toSorted((one, other) => one.label.localeCompare(other.label, language));
}
