import type { CarrierRejection } from '../sims/carrier';
import { numberedSims } from '../sims/numbered-sims';
import type { SimOptions } from '../sims/sim-slots';
import type { VirtualPhoneOptions } from '../phone-options';
import { numberIn } from './number-in';

export const VIRTUAL_ARGUMENTS = {
  'send-delay': { type: 'string' },
  'failure-rate': { type: 'string' },
  'delivery-delay': { type: 'string' },
  sims: { type: 'string' },
  'seconds-per-part': { type: 'string' },
  'parts-per-minute': { type: 'string' },
  'confirm-after': { type: 'string' },
  'messages-per-day': { type: 'string' },
  'recipients-per-month': { type: 'string' },
  'beyond-cap': { type: 'string' },
  block: { type: 'string' },
  'receive-every': { type: 'string' },
  seed: { type: 'string' },
  fallback: { type: 'boolean', default: false },
} as const;

export const VIRTUAL_USAGE = `Options of a virtual phone:
  --send-delay SECONDS    between two messages (default: 5)
  --failure-rate RATE     the share of messages the radio refuses, 0 to 1 (default: 0)
  --delivery-delay SECONDS  until the carrier confirms a message (default: 0.5)
  --sims COUNT            1 to 8 (default: 1)
  --seconds-per-part SECONDS  on the air for each part of a message (default: 0)
  --parts-per-minute COUNT  Android's limit for each SIM, 30 on most phones (default: none)
  --confirm-after SECONDS until a person confirms a message beyond it (default: never)
  --messages-per-day COUNT  the carrier's cap for each SIM (default: none)
  --recipients-per-month COUNT  the carrier's cap for each SIM (default: none)
  --beyond-cap fail|drop  messages beyond a cap fail, or are sent and never delivered (default: fail)
  --block fail|drop       the carrier blocks the SIMs; all messages fail, or are never delivered
  --receive-every SECONDS receive and upload a sample message at this interval (default: never)
  --seed NUMBER           makes failures reproducible
  --fallback              disable the phone while another phone of the account is enabled and reachable
`;

type Values = Readonly<Partial<Record<Exclude<keyof typeof VIRTUAL_ARGUMENTS, 'fallback'>, string>>> & {
  readonly fallback?: boolean;
};

export interface VirtualSettings {
  readonly phone: Omit<VirtualPhoneOptions, 'baseUrl' | 'apiKey' | 'name' | 'serial' | 'ledger'>;
  readonly block: CarrierRejection | undefined;
  readonly receiveEverySeconds: number | undefined;
  readonly fallback: boolean;
}

/** @throws Error for invalid arguments. */
export function virtualSettings(values: Values, serial: string): VirtualSettings {
  return {
    phone: {
      sims: simsOf(values, serial),
      partsPerMinute: wholeNumber('--parts-per-minute', values['parts-per-minute']),
      confirmationSeconds: numberIn('--confirm-after', values['confirm-after'], 0, 86_400),
      sendDelaySeconds: numberIn('--send-delay', values['send-delay'], 0, 3_600),
      failureRate: numberIn('--failure-rate', values['failure-rate'], 0, 1),
      deliveryDelaySeconds: numberIn('--delivery-delay', values['delivery-delay'], 0, 3_600),
      seed: numberIn('--seed', values.seed, 0, Number.MAX_SAFE_INTEGER),
      switchOn: values.fallback,
      // The process may run for long.
      airLogLimit: 0,
    },
    block: rejectionIn('--block', values.block),
    receiveEverySeconds: numberIn('--receive-every', values['receive-every'], 0.1, 86_400),
    fallback: values.fallback === true,
  };
}

const SIM_ARGUMENTS = [
  'sims',
  'seconds-per-part',
  'messages-per-day',
  'recipients-per-month',
  'beyond-cap',
] as const;

type SimArguments = Readonly<Partial<Record<(typeof SIM_ARGUMENTS)[number], string>>>;

/** @returns undefined without arguments for SIMs. */
function simsOf(values: SimArguments, serial: string): readonly SimOptions[] | undefined {
  if (SIM_ARGUMENTS.every((name) => values[name] === undefined)) return undefined;
  const count = wholeNumber('--sims', values.sims, 8) ?? 1;
  const options = {
    secondsPerPart: numberIn('--seconds-per-part', values['seconds-per-part'], 0, 3_600),
    caps: {
      messagesPerDay: wholeNumber('--messages-per-day', values['messages-per-day']),
      recipientsPerMonth: wholeNumber('--recipients-per-month', values['recipients-per-month']),
      beyond: rejectionIn('--beyond-cap', values['beyond-cap']),
    },
  };
  return numberedSims(count, serial, () => options);
}

function rejectionIn(name: string, text: string | undefined): CarrierRejection | undefined {
  if (text === undefined || text === 'fail' || text === 'drop') return text;
  throw new Error(`${name} must be fail or drop`);
}

function wholeNumber(name: string, text: string | undefined, most = 1_000_000): number | undefined {
  const value = numberIn(name, text, 1, most);
  if (value !== undefined && !Number.isInteger(value)) throw new Error(`${name} must be a whole number`);
  return value;
}
