import { renderUnicodeCompact } from 'uqr';

/** Light and dark as the code means them, whatever the colours of the terminal are. */
const WHITE_ON_BLACK = '\u001b[97;40m';
const RESET = '\u001b[0m';
/** In modules; scanners rely on it. */
const QUIET_ZONE = 4;

/** A text as a QR code for a terminal, line by line; two rows of the code stand in one line. */
export function qrCode(text: string): string[] {
  const lines = renderUnicodeCompact(text, { ecc: 'M', border: QUIET_ZONE }).split('\n');
  return lines.map((line) => `${WHITE_ON_BLACK}${line}${RESET}`);
}
