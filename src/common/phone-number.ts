/** Invisible direction marks that contact apps and messengers put around numbers. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

function stripSeparators(text: string): string {
  return (
    text
      .replace(INVISIBLE, '')
      .trim()
      .replace(/^tel:/i, '')
      // The (0) after a country code is dialled only inside the country.
      .replace(/^((?:\+|00)\d[\d\s.-]*)\(0\)/, '$1')
      .replace(/[\s.\-()[\]/\u00a0\u2010-\u2015]/g, '')
  );
}

/** Normalizes a phone number for storage. @returns null unless it has 3 to 15 digits, with or without a leading +. */
export function normalizePhoneNumber(text: string): string | null {
  const number = stripSeparators(text);
  return /^\+?\d{3,15}$/.test(number) ? number : null;
}
