/** What a file is that is no CSV, by the characters that it begins with, and what to do. */
const KINDS: readonly (readonly [start: RegExp, problem: string])[] = [
  [/^PK\x03\x04/, 'is an Excel workbook or another ZIP archive: in the spreadsheet, save it as "CSV UTF-8"'],
  [/^\xd0\xcf\x11\xe0/, 'is an Excel workbook of the old format: in the spreadsheet, save it as "CSV UTF-8"'],
  [/^%PDF/, 'is a PDF document: export the table as CSV from the program that made it'],
  [/^\x1f\x8b/, 'is a gzip archive: unpack it first'],
  [/^(?:\x89PNG|\xff\xd8\xff|GIF8)/, 'is a picture: a CSV file is needed'],
  [/^\{\\rtf/, 'is a text document (RTF): save the table as CSV'],
  [/^\s*BEGIN:VCARD/i, 'is a vCard: export the contacts as CSV'],
  [/^\s*(?:<!doctype|<html|<\?xml)/i, 'is a web page or an XML document: save the table as CSV'],
];

/** What is wrong with a file that is known to be no CSV. @param start its first bytes. */
export function problemOfKind(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start.subarray(0, 64));
  const beginning = text.replace(/^\xef\xbb\xbf/, '');
  return KINDS.find(([pattern]) => pattern.test(beginning))?.[1];
}
