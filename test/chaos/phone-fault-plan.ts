import type { SeededRandom } from './seeded-random';

export const STREAM_PHONE_FAULTS = ['no service', 'radio off', 'answers late', 'crashes'] as const;
export type StreamPhoneFault = (typeof STREAM_PHONE_FAULTS)[number];

export const FCM_PHONE_FAULTS = ['push token lost', 'push service unavailable'] as const;
export type FcmPhoneFault = (typeof FCM_PHONE_FAULTS)[number];

export interface PlannedPhoneFault {
  /** Milliseconds from the start. */
  readonly at: number;
  /** The index of the phone. */
  readonly phone: number;
  readonly fault: StreamPhoneFault | FcmPhoneFault;
  readonly forMs: number;
}

/** Each fault of a phone happens once in each period. */
const PERIOD_MS = 12_000;
const MIN_FAULT_MS = 3_000;
const MAX_FAULT_MS = 6_000;

/** Plans when phones have their faults. */
export function planPhoneFaults(
  random: SeededRandom,
  phones: readonly { readonly faults?: readonly PlannedPhoneFault['fault'][] }[],
  durationMs: number,
): PlannedPhoneFault[] {
  const plan = phones.flatMap(({ faults = [] }, phone) =>
    faults.flatMap((fault) =>
      Array.from({ length: Math.floor(durationMs / PERIOD_MS) }, (_, period) => ({
        at: period * PERIOD_MS + random.between(0, PERIOD_MS - MAX_FAULT_MS),
        phone,
        fault,
        forMs: random.between(MIN_FAULT_MS, MAX_FAULT_MS),
      })),
    ),
  );
  return plan.sort((one, other) => one.at - other.at);
}
