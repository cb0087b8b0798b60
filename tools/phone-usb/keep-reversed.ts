import { setTimeout as sleep } from 'node:timers/promises';
import type { Adb } from './adb';

export interface Watch {
  readonly port: number;
  readonly everyMs: number;
  readonly signal: AbortSignal;
  readonly log: (text: string) => void;
}

/** Connects the port again after each reconnection of the phone, until the signal. */
export async function keepReversed(adb: Adb, { port, everyMs, signal, log }: Watch): Promise<void> {
  const rule = `tcp:${port}`;
  let isConnected = true;
  while (await pause(everyMs, signal)) {
    const listed = await adb.tryToRun(['reverse', '--list']);
    const isThere = listed.code === 0 && listed.text.includes(`${rule} ${rule}`);
    const isReversed =
      isThere || (listed.code === 0 && (await adb.tryToRun(['reverse', rule, rule])).code === 0);
    if (!isReversed && isConnected)
      log('The phone is gone: plug it in again, or end this command with Ctrl-C');
    if (isReversed && !(isThere && isConnected))
      log(`The phone is back, and its port ${port} leads to this computer`);
    isConnected = isReversed;
  }
}

/** @returns false if the signal ended it. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
