/** Removes what people write between the digits of a number. */
export function withoutSeparators(text: string): string {
  return text.replace(/[\s.\-()[\]/\u00a0\u2010-\u2015]/g, '');
}

/** A phone number as it is stored. @returns null when the text is none: 3 to 15 digits, with or without a +. */
export function normalisePhoneNumber(text: string): string | null {
  const bare = withoutSeparators(text);
  return /^\+?\d{3,15}$/.test(bare) ? bare : null;
}
