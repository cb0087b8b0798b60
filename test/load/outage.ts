import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadReceiver, ReceiverState } from './receiver';

/** The outage is from a half of the run to two thirds: the quarters that memory is compared by are beside it. */
const FROM = 1 / 2;
const TO = 2 / 3;

const MANNERS: readonly ReceiverState[] = ['refusing', 'failing', 'hanging'];

/** Takes the receiver away in the middle of the run: it refuses connections, answers 500, hangs, and is back. */
export async function outage(
  receiver: LoadReceiver,
  seconds: number,
  { signal, onChange }: { signal: AbortSignal; onChange: (state: ReceiverState) => void },
): Promise<void> {
  await sleep(seconds * FROM * 1_000, undefined, { signal });
  for (const manner of MANNERS) {
    await receiver.become(manner);
    onChange(manner);
    await sleep((seconds * (TO - FROM) * 1_000) / MANNERS.length, undefined, { signal });
  }
  await receiver.become('up');
  onChange('up');
}
