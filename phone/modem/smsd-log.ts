import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES = 16_384;

/** What gammu writes about a modem that it cannot use, and what to do about it. */
const REASONS = [
  [
    /security error|enter PIN|PIN required|\bPIN\b.*(?:needed|wrong)/i,
    'the SIM asks for its PIN: remove it, or set "pin" in the configuration',
  ],
  [/can ?not access SIM|no SIM|SIM not inserted/i, 'the modem has no SIM, or cannot read it'],
  [
    /device.*(?:doesn't|does not) exist|no such device|DEVICENOTEXIST/i,
    'the modem is not plugged in, or has another device file',
  ],
  [
    /(?:don't have|no) permission|DEVICENOPERMISSION/i,
    'the user of gammu-smsd may not open the device: add it to the group dialout',
  ],
  [
    /device (?:is )?(?:locked|busy|already used)|DEVICELOCKED|DEVICEBUSY/i,
    'another program, such as ModemManager, uses the modem',
  ],
  [/no response in specified timeout|\[?ERR_TIMEOUT|phone not connected/i, 'the modem does not answer'],
  [/database or disk is full|no space left/i, 'the disk is full'],
] as const;

/** Why a daemon has no modem, from the last line of its log that tells. @returns undefined if none does. */
export function reasonInLog(text: string): string | undefined {
  for (const line of text.split('\n').reverse()) {
    const known = REASONS.find(([pattern]) => pattern.test(line));
    if (known !== undefined) return known[1];
  }
  return undefined;
}

/** The last lines of a log; empty if it cannot be read. */
export function tailOf(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(descriptor, tail, 0, tail.length, size - tail.length);
      return tail.toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
