import { once } from 'node:events';
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { incomingTexts } from './incoming-texts';
import { sanitizeLine } from './printable';
import { yieldToOtherPhone, waitUntilNeeded, waitForOtherPhone } from './fallback';
import { sendErrorText } from './send-error';
import type { CarrierRejection } from './sims/carrier';
import { numberedSims } from './sims/numbered-sims';
import type { SimOptions } from './sims/sim-slots';
import { VirtualPhone } from './virtual-phone';
import type { VirtualPhoneOptions } from './phone-options';

const USAGE = `Pairs a virtual phone with the service and sends the messages it receives.

  npx tsx phone/main.ts --url http://127.0.0.1:3000 --api-key KEY

  --url URL               the URL of the service (default: $MGW_URL)
  --api-key KEY           an API key of the account (default: $API_KEY, which keeps it out of the process list)
  --name NAME             the label of the device (default: Virtual phone)
  --serial SERIAL         identifies the phone (default: one for this computer)
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
  --ledger FILE           record sent messages here, so that a restarted phone continues
  --seed NUMBER           makes failures reproducible
  --fallback              disable the phone while another phone of the account is enabled and reachable
  --quiet                 print errors only
`;

const FINISH_WITHIN_MS = 5_000;

interface Command {
  readonly phone: VirtualPhoneOptions;
  readonly block: CarrierRejection | undefined;
  readonly receiveEverySeconds: number | undefined;
  readonly fallback: boolean;
  readonly quiet: boolean;
}

/** @throws Error for invalid arguments. */
function readCommand(): Command | 'help' {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      'api-key': { type: 'string' },
      name: { type: 'string' },
      serial: { type: 'string' },
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
      ledger: { type: 'string' },
      seed: { type: 'string' },
      fallback: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const baseUrl = values.url ?? process.env.MGW_URL;
  const apiKey = values['api-key'] ?? process.env.API_KEY;
  if (baseUrl === undefined || baseUrl === '')
    throw new Error('--url is missing, e.g. --url http://127.0.0.1:3000');
  if (apiKey === undefined || apiKey === '')
    throw new Error('the API key is missing: set API_KEY or give --api-key');
  const serial = values.serial ?? `virtual-phone-${hostname()}`;
  return {
    phone: {
      baseUrl,
      apiKey,
      name: values.name,
      serial,
      sims: simsOf(values, serial),
      partsPerMinute: wholeNumber('--parts-per-minute', values['parts-per-minute']),
      confirmationSeconds: numberIn('--confirm-after', values['confirm-after'], 0, 86_400),
      sendDelaySeconds: numberIn('--send-delay', values['send-delay'], 0, 3_600),
      failureRate: numberIn('--failure-rate', values['failure-rate'], 0, 1),
      deliveryDelaySeconds: numberIn('--delivery-delay', values['delivery-delay'], 0, 3_600),
      seed: numberIn('--seed', values.seed, 0, Number.MAX_SAFE_INTEGER),
      ledger: values.ledger === undefined ? undefined : { file: values.ledger },
      switchOn: values.fallback,
      // The process may run for long.
      airLogLimit: 0,
    },
    block: rejectionIn('--block', values.block),
    receiveEverySeconds: numberIn('--receive-every', values['receive-every'], 0.1, 86_400),
    fallback: values.fallback,
    quiet: values.quiet,
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

function numberIn(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? NaN : Number(text);
  if (!(value >= least && value <= most))
    throw new Error(`${name} must be a number from ${least} to ${most}`);
  return value;
}

function logEvents(phone: VirtualPhone, baseUrl: string): void {
  let hasLoggedWaiting = false;
  let connected = false;
  let lastFailure = '';
  const log = (line: string): void => {
    lastFailure = '';
    console.log(sanitizeLine(line));
  };
  phone.on('waiting', (reason) => {
    if (!hasLoggedWaiting) log(`waiting up to 60 s for ${baseUrl} (${reason})`);
    hasLoggedWaiting = true;
  });
  phone.on('registered', ({ _id, name, enabled }) => {
    log(`registered as ${name ?? 'a device without a name'}, device ${_id}`);
    if (!enabled) log('this device is disabled: the service does not send with it');
  });
  phone.on('streamOpen', () => {
    connected = true;
    log('connected, waiting for messages');
  });
  phone.on('streamClosed', (reason) => {
    // Not for each failed attempt to reconnect.
    if (connected) log(`the stream was closed: ${reason}`);
    connected = false;
  });
  phone.on('onAir', ({ recipient, text, error, simSubscriptionId, parts }) => {
    const sim =
      phone.sims.length > 1 && simSubscriptionId !== undefined ? ` by SIM ${simSubscriptionId}` : '';
    const long = parts > 1 ? ` in ${parts} parts` : '';
    log(
      error === undefined
        ? `sent to ${recipient}${sim}${long}: ${oneLine(text)}`
        : `not sent to ${recipient}${sim}: ${sendErrorText(error)}`,
    );
  });
  phone.on('reported', ({ recipient, status, end }) => {
    if (end === 'refused') log(`the service rejected the report ${status} of the message to ${recipient}`);
    else if (status !== 'SENT') log(`${status.toLowerCase()} to ${recipient}`);
  });
  phone.on('received', ({ sender, message }) => {
    log(`received from ${sender}: ${oneLine(message)}`);
  });
  phone.on('failure', (message) => {
    // An unavailable service fails in the same way repeatedly.
    if (message !== lastFailure) console.error(sanitizeLine(`failure: ${message}`));
    lastFailure = message;
  });
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
}

function receiveRegularly(phone: VirtualPhone, everySeconds: number): NodeJS.Timeout {
  const texts = incomingTexts();
  return setInterval(() => {
    const { sender, text } = texts.next().value;
    // Failed uploads emit `failure`.
    phone.receiveSms(sender, text).catch(() => undefined);
  }, everySeconds * 1000);
}

async function run(command: Command): Promise<void> {
  const phone = new VirtualPhone(command.phone);
  for (const { card } of phone.sims) card.carrier.block = command.block;
  const log = (line: string): void => {
    if (!command.quiet) console.log(line);
  };
  if (!command.quiet) logEvents(phone, command.phone.baseUrl);
  const stop = new AbortController();
  void waitForSignal().then(() => {
    stop.abort();
  });
  while (!stop.signal.aborted) {
    if (command.fallback && (await yieldToOtherPhone(phone.api))) {
      log('Another phone is paired: the virtual phone is disabled');
      await waitUntilNeeded(phone.api, stop.signal);
      if (!isAborted(stop)) log('No other phone is reachable: the virtual phone is enabled');
    }
    if (!isAborted(stop)) await runUntilEnd(phone, command, stop.signal);
  }
  phone.api.close();
}

/** Runs the phone until the process is stopped or, with --fallback, until another phone is reachable. */
async function runUntilEnd(phone: VirtualPhone, command: Command, stop: AbortSignal): Promise<void> {
  const ends = [once(stop, 'abort'), ...(command.fallback ? [waitForOtherPhone(phone.api)] : [])];
  const end = Promise.race(ends).then(() => 'end' as const);
  const started = phone.start().then(() => 'started' as const);
  if ((await Promise.race([started, end])) === 'started') {
    const { receiveEverySeconds } = command;
    const receiving =
      receiveEverySeconds === undefined ? undefined : receiveRegularly(phone, receiveEverySeconds);
    await end;
    clearInterval(receiving);
  } else {
    started.catch(() => undefined);
  }
  await phone.stop({ finishWithinMs: FINISH_WITHIN_MS });
}

/** A function, because the compiler assumes that the field stays the same. */
const isAborted = ({ signal }: AbortController): boolean => signal.aborted;

async function main(): Promise<void> {
  const command = readCommand();
  if (command === 'help') console.log(USAGE);
  else await run(command);
}

// For example a ledger on a full disk.
process.on('uncaughtException', fail);
main().catch(fail);

function fail(error: unknown): void {
  console.error(`virtual phone: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
