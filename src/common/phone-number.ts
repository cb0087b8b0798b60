/** Characters that contact apps and messengers put around numbers to set their direction; nobody sees them. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Removes what people and programs write around and between the digits of a number. */
export function withoutSeparators(text: string): string {
  return (
    text
      .replace(INVISIBLE, '')
      .trim()
      .replace(/^tel:/i, '')
      // The (0) behind a country code is dialled only inside the country.
      .replace(/^((?:\+|00)\d[\d\s.-]*)\(0\)/, '$1')
      .replace(/[\s.\-()[\]/\u00a0\u2010-\u2015]/g, '')
  );
}

/** A phone number as it is stored. @returns null when the text is none: 3 to 15 digits, with or without a +. */
export function normalisePhoneNumber(text: string): string | null {
  const bare = withoutSeparators(text);
  return /^\+?\d{3,15}$/.test(bare) ? bare : null;
}
