import { renderUnicodeCompact } from 'uqr';

/** Set explicitly, because terminals have light or dark backgrounds. */
const WHITE_ON_BLACK = '\u001b[97;40m';
const RESET = '\u001b[0m';
/** In modules; scanners need it. */
const QUIET_ZONE = 4;

/** A QR code for a terminal, as lines of two module rows each. */
export function qrCode(text: string): string[] {
  const lines = renderUnicodeCompact(text, { ecc: 'M', border: QUIET_ZONE }).split('\n');
  return lines.map((line) => `${WHITE_ON_BLACK}${line}${RESET}`);
}
