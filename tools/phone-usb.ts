import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { Adb, findAdb } from './phone-usb/adb';
import { choosePhone, readPhones } from './phone-usb/choose-phone';
import { instructions } from './phone-usb/instructions';
import { keepReversed } from './phone-usb/keep-reversed';
import { createPairingCode } from './phone-usb/pairing-code';
import { preparePhone } from './phone-usb/prepare-phone';
import { serviceOnThisComputer } from './phone-usb/service-on-this-computer';

const USAGE = `Sets up an Android phone on a USB cable with the app SMS Gateway for Android (SMSGate): installs it, gives it its
permissions, lets it run in the background, connects it to the service on this computer, and prints what to type into it.

  npm run phone:usb -- --apk app-release.apk

  --apk FILE       the app to install; without it, the one on the phone is used
  --serial SERIAL  the phone, if several are connected
  --url URL        the service on this computer (default: the running npm start)
  --watch          stay, and connect the phone again each time it is plugged in
`;

const ROOT = join(__dirname, '..');
const WATCH_EVERY_MS = 3_000;
/** Of SMSGATE_PATH. */
const DEFAULT_PATH = '/sms';

interface Command {
  readonly apk: string | undefined;
  readonly serial: string | undefined;
  readonly url: string | undefined;
  readonly watch: boolean;
}

/** @throws Error for invalid arguments. */
function readCommand(): Command | 'help' {
  const { values } = parseArgs({
    options: {
      apk: { type: 'string' },
      serial: { type: 'string' },
      url: { type: 'string' },
      watch: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { help, apk, serial, url, watch } = values;
  return help ? 'help' : { apk, serial, url, watch };
}

function log(line: string): void {
  console.log(line);
}

/** Runs an admin command, which prints its own errors. */
async function runAdmin(args: readonly string[]): Promise<string | undefined> {
  const child = spawn(join(ROOT, 'node_modules', '.bin', 'tsx'), [join(ROOT, 'tools', 'admin.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [output, code] = await Promise.all([text(child.stdout), exited]);
  return code === 0 ? output : undefined;
}

/** @throws PhoneUsbError */
async function setUp({ apk, serial, url, watch }: Command): Promise<void> {
  const service = await serviceOnThisComputer(url);
  const { port } = service;
  const adb = new Adb(findAdb(process.env));
  const phone = choosePhone(readPhones((await adb.run(['devices', '-l'])).text), serial);
  log(`Phone ${phone.serial}${phone.model === undefined ? '' : ` (${phone.model})`}`);
  const target = adb.for(phone.serial);
  const leftToDo = await preparePhone(target, { apk, port }, log);
  const code = await createPairingCode(service, runAdmin);
  const path = code?.path ?? `${new URL(service.url).pathname.replace(/\/$/, '')}${DEFAULT_PATH}`;
  log(instructions({ address: `http://127.0.0.1:${port}${path}`, digits: code?.digits, leftToDo }));
  if (watch) await stay(target, port);
}

/** Until Ctrl-C. */
async function stay(target: Adb, port: number): Promise<void> {
  const stop = new AbortController();
  // A second Ctrl-C ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort();
    });
  }
  await keepReversed(target, { port, everyMs: WATCH_EVERY_MS, signal: stop.signal, log });
}

async function main(): Promise<void> {
  const command = readCommand();
  if (command === 'help') console.log(USAGE);
  else await setUp(command);
}

main().catch((error: unknown) => {
  console.error(`phone:usb: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
