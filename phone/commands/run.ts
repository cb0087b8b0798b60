import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { waitForOtherPhone, waitUntilNeeded, yieldToOtherPhone } from '../fallback';
import { incomingTexts } from '../incoming-texts';
import { MachinePhone } from '../machine-phone';
import type { Phone } from '../phone';
import { isRecord } from '../wire';
import { VirtualPhone } from '../virtual-phone';
import { logEvents } from './log-events';
import { NETWORK_GRACE_MS, openDriver, type MachineKind } from './open-driver';
import { folderFrom, PhoneFolder, type StoredPhone } from './phone-folder';
import { lockFolder } from './run-lock';
import { VIRTUAL_ARGUMENTS, VIRTUAL_USAGE, virtualSettings, type VirtualSettings } from './virtual-options';

export const RUN_USAGE = `messaging-gateway-phone run [--dir DIR]

Runs the phone that was paired in the folder, until SIGTERM or SIGINT.

  --dir DIR               its folder (default: as of "pair")
  --quiet                 print errors only

With a key instead of a folder it runs a virtual phone, from which no SMS leaves this computer:

  --url URL               the URL of the service (default: $MGW_URL)
  --api-key KEY           an API key of the account (default: $API_KEY, which keeps it out of the process list)
  --name NAME             the label of the device (default: Virtual phone)
  --serial SERIAL         identifies the phone (default: one for this computer)
  --ledger FILE           record sent messages here, so that a restarted phone continues

${VIRTUAL_USAGE}`;

const FINISH_WITHIN_MS = 5_000;

/** Resolves when the process is told to end. @throws Error for invalid arguments, or if the service rejects the phone. */
export async function run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string' },
      'api-key': { type: 'string' },
      name: { type: 'string' },
      serial: { type: 'string' },
      ledger: { type: 'string' },
      dir: { type: 'string' },
      quiet: { type: 'boolean', default: false },
      ...VIRTUAL_ARGUMENTS,
    },
  });
  const url = values.url ?? environment.MGW_URL;
  const apiKey = values['api-key'] ?? environment.API_KEY;
  const { quiet: isQuiet } = values;
  if (values.dir === undefined && (url !== undefined || apiKey !== undefined)) {
    if (!url) throw new Error('--url is missing, e.g. --url http://127.0.0.1:3000');
    if (!apiKey) throw new Error('the API key is missing: set API_KEY or give --api-key');
    const serial = values.serial ?? `virtual-phone-${hostname()}`;
    const settings = virtualSettings(values, serial);
    const ledger = values.ledger === undefined ? undefined : { file: values.ledger };
    const options = { ...settings.phone, baseUrl: url, apiKey, name: values.name, serial, ledger };
    await runVirtual(new VirtualPhone(options), url, settings, isQuiet);
    return;
  }
  const folder = new PhoneFolder(folderFrom(values.dir, environment));
  const stored = folder.require();
  const lock = await lockFolder(folder.path);
  if (lock === undefined) throw new Error(`another process runs the phone of ${folder.path}`);
  try {
    const { radio, url: baseUrl, serial, name } = stored;
    if (radio.kind === 'virtual') {
      const settings = virtualSettings(values, serial);
      const ledger = { file: folder.ledger };
      const options = { ...settings.phone, baseUrl, apiKey: stored.apiKey, name, serial, ledger };
      const phone = new VirtualPhone(options);
      rememberDevice(phone, folder, stored);
      await runVirtual(phone, baseUrl, settings, isQuiet);
    } else {
      await runMachine(machinePhone(stored, radio, folder), folder, stored, isQuiet);
    }
  } finally {
    lock.close();
  }
}

function machinePhone(stored: StoredPhone, radio: MachineKind, folder: PhoneFolder): MachinePhone {
  const { url, apiKey, serial, name, pairedAt, sendDelaySeconds } = stored;
  const options = {
    baseUrl: url,
    apiKey,
    serial,
    name,
    version: ownVersion(),
    sendDelaySeconds,
    ledger: { file: folder.ledger },
    airLogLimit: 0,
    // It starts with the computer, maybe before the network, and waits.
    startTimeoutMs: 3_600_000,
    radio: { graceMs: radio.kind === 'modem' ? 0 : NETWORK_GRACE_MS },
  };
  return new MachinePhone(options, () => openDriver(radio, folder, pairedAt));
}

function rememberDevice(phone: Phone, folder: PhoneFolder, stored: StoredPhone): void {
  phone.on('registered', ({ _id }) => {
    if (stored.deviceId !== _id) folder.write({ ...stored, deviceId: _id });
  });
}

async function runMachine(
  phone: MachinePhone,
  folder: PhoneFolder,
  stored: StoredPhone,
  isQuiet: boolean,
): Promise<void> {
  rememberDevice(phone, folder, stored);
  if (!isQuiet) logEvents(phone, stored.url, 2);
  const stop = untilSignal();
  const stopped = once(stop, 'abort').then(() => 'stopped' as const);
  const started = phone.start().then(() => 'started' as const);
  if ((await Promise.race([started, stopped])) === 'started') await stopped;
  else started.catch(() => undefined);
  await phone.stop({ finishWithinMs: FINISH_WITHIN_MS });
}

async function runVirtual(
  phone: VirtualPhone,
  url: string,
  settings: VirtualSettings,
  isQuiet: boolean,
): Promise<void> {
  for (const { card } of phone.sims) card.carrier.block = settings.block;
  const log = (line: string): void => {
    if (!isQuiet) console.log(line);
  };
  if (!isQuiet) logEvents(phone, url, phone.sims.length);
  const stop = untilSignal();
  while (!stop.aborted) {
    if (settings.fallback && (await yieldToOtherPhone(phone.api))) {
      log('Another phone is paired: the virtual phone is disabled');
      await waitUntilNeeded(phone.api, stop);
      if (!isAborted(stop)) log('No other phone is reachable: the virtual phone is enabled');
    }
    if (!isAborted(stop)) await runUntilEnd(phone, settings, stop);
  }
  phone.api.close();
}

/** Runs the phone until the process is stopped or, with --fallback, until another phone is reachable. */
async function runUntilEnd(phone: VirtualPhone, settings: VirtualSettings, stop: AbortSignal): Promise<void> {
  const ends = [once(stop, 'abort'), ...(settings.fallback ? [waitForOtherPhone(phone.api)] : [])];
  const end = Promise.race(ends).then(() => 'end' as const);
  const started = phone.start().then(() => 'started' as const);
  if ((await Promise.race([started, end])) === 'started') {
    const { receiveEverySeconds } = settings;
    const receiving =
      receiveEverySeconds === undefined ? undefined : receiveRegularly(phone, receiveEverySeconds);
    await end;
    clearInterval(receiving);
  } else {
    started.catch(() => undefined);
  }
  await phone.stop({ finishWithinMs: FINISH_WITHIN_MS });
}

function receiveRegularly(phone: VirtualPhone, everySeconds: number): NodeJS.Timeout {
  const texts = incomingTexts();
  return setInterval(() => {
    const { sender, text } = texts.next().value;
    // Failed uploads emit `failure`.
    phone.receiveSms(sender, text).catch(() => undefined);
  }, everySeconds * 1000);
}

function untilSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stop.abort();
    });
  }
  return stop.signal;
}

/** A function, because the compiler assumes that the field stays the same. */
const isAborted = ({ aborted }: AbortSignal): boolean => aborted;

/** Of the package, whose compiled files are a folder deeper. */
function ownVersion(): string {
  for (const up of ['..', '../..']) {
    try {
      const found: unknown = JSON.parse(readFileSync(join(__dirname, up, 'package.json'), 'utf8'));
      if (isRecord(found) && typeof found.version === 'string') return found.version;
    } catch {
      // Not there.
    }
  }
  return 'unknown';
}
