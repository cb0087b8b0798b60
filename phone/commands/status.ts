import { parseArgs } from 'node:util';
import { JsonClient } from '../json-client';
import { sanitizeLine } from '../printable';
import { SentLedger } from '../sent-ledger';
import { dataIn, isRecord } from '../wire';
import { openDriver } from './open-driver';
import { folderFrom, PhoneFolder, type StoredPhone } from './phone-folder';
import { lockFolder } from './run-lock';

export const STATUS_USAGE = `messaging-gateway-phone status [--dir DIR]

Prints whether the phone is paired, runs, reaches the service and has its radio. The exit code is 0 if all is well.
`;

interface Line {
  readonly what: string;
  readonly isWell: boolean;
  readonly text: string;
}

/** @returns whether all is well. */
export async function status(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { dir: { type: 'string' } } });
  const folder = new PhoneFolder(folderFrom(values.dir, environment));
  const phone = folder.require();
  const checked = await Promise.all([runState(folder), service(phone), radio(phone, folder)]);
  const lines = [pairing(phone, folder), ...checked, messages(folder)];
  for (const { what, isWell, text } of lines)
    console.log(sanitizeLine(`${isWell ? 'ok     ' : 'PROBLEM'} ${what.padEnd(8)} ${text}`));
  return lines.every(({ isWell }) => isWell);
}

function pairing({ name, url, deviceId }: StoredPhone, folder: PhoneFolder): Line {
  const device = deviceId === undefined ? 'it has not run yet' : `device ${deviceId}`;
  return { what: 'phone', isWell: true, text: `"${name}" of ${url}, ${device}, in ${folder.path}` };
}

async function runState(folder: PhoneFolder): Promise<Line> {
  const lock = await lockFolder(folder.path);
  lock?.close();
  const isWell = lock === undefined || process.platform !== 'linux';
  return {
    what: 'process',
    isWell,
    text: isWell ? 'runs' : 'does not run: start it with "run", or its systemd unit',
  };
}

async function service({ url, apiKey }: StoredPhone): Promise<Line> {
  const client = new JsonClient({ baseUrl: url, apiKey });
  try {
    const user = dataIn(await client.call('GET', 'auth/who-am-i'));
    const account = isRecord(user) && typeof user.email === 'string' ? user.email : 'an account';
    return { what: 'service', isWell: true, text: `takes the key of ${account}` };
  } catch (error) {
    return { what: 'service', isWell: false, text: textOf(error) };
  } finally {
    client.close();
  }
}

async function radio({ radio, pairedAt }: StoredPhone, folder: PhoneFolder): Promise<Line> {
  if (radio.kind === 'virtual')
    return { what: 'radio', isWell: true, text: 'virtual: no SMS leaves this computer' };
  const driver = openDriver(radio, folder, pairedAt);
  try {
    const { manufacturer, model, batteryPercentage, sims } = await driver.check();
    const battery = batteryPercentage === undefined ? '' : `, battery ${batteryPercentage} %`;
    const carriers = sims
      .map(({ carrierName, displayName }) => carrierName ?? displayName ?? 'SIM')
      .join(', ');
    return { what: 'radio', isWell: true, text: `${manufacturer} ${model}, ${carriers}${battery}` };
  } catch (error) {
    return { what: 'radio', isWell: false, text: textOf(error) };
  } finally {
    driver.close();
  }
}

function messages(folder: PhoneFolder): Line {
  const open = new SentLedger({ file: folder.ledger }).unfinished();
  const waiting = open.filter(({ sendAttemptedAt }) => sendAttemptedAt === undefined).length;
  return { what: 'messages', isWell: true, text: `${waiting} to send, ${open.length - waiting} to report` };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
