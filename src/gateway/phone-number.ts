/** Removes what people write between the digits. @returns null when the rest is not a phone number. */
export function normalisePhoneNumber(text: string): string | null {
  const bare = text.replace(/[\s.\-()[\]/\u00a0\u2010-\u2015]/g, '');
  return /^\+?\d{3,15}$/.test(bare) ? bare : null;
}
