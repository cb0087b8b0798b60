import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadReceiver, ReceiverState } from './receiver';

/** Fractions of the run, outside the quarters in which memory is compared. */
const OUTAGE_START = 1 / 2;
const OUTAGE_END = 2 / 3;

const OUTAGE_STATES: readonly ReceiverState[] = ['refusing', 'failing', 'hanging'];

/** Makes the receiver refuse connections, respond with 500 and hang, in turn. */
export async function simulateOutage(
  receiver: LoadReceiver,
  seconds: number,
  { signal, onChange }: { signal: AbortSignal; onChange: (state: ReceiverState) => void },
): Promise<void> {
  await sleep(seconds * OUTAGE_START * 1_000, undefined, { signal });
  for (const state of OUTAGE_STATES) {
    await receiver.setState(state);
    onChange(state);
    await sleep((seconds * (OUTAGE_END - OUTAGE_START) * 1_000) / OUTAGE_STATES.length, undefined, {
      signal,
    });
  }
  await receiver.setState('up');
  onChange('up');
}
