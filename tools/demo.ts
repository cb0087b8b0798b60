import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sanitizeLine } from 'messaging-gateway-phone';
import { type DeviceResponse, NoResponse } from 'messaging-gateway-client';
import { GatewayApi, type DemoMessage } from './demo/gateway-api';
import { runPoolDemo } from './demo/pool-demo';
import { recipients } from './demo/recipients';
import { findService } from './demo/service-address';
import { countStatuses, StatusDisplay, statusLine } from './demo/status-bar';
import { deliveryTimes, timeline } from './demo/timeline';
import { ApiError } from './api-error';

const USAGE = `Sends messages through the running service and shows how they are delivered.

  npm run demo -- [--url URL] [--api-key KEY] [--count 25] [--device ID] [--timeout SECONDS]
  npm run demo -- --phones COUNT [--url URL] [--api-key KEY] [--count 25] [--timeout SECONDS]

  --url, --api-key   the service (default: $MGW_URL and $API_KEY, else the running npm start)
  --count            how many messages, 1 to 1000 (default: 25, with --phones 80 for each phone)
  --device           the device to send from (default: the account's default device)
  --timeout          how long delivery may take (default: by the number of messages and the phone's send delay)
  --phones           send a campaign to a pool of so many virtual phones of two SIMs each, 1 to 20, and show each SIM,
                     the forecast, and what happens when a carrier blocks one of them
`;

const POLL_EVERY_MS = 500;
/** For the push and the delivery report. */
const ALLOWANCE_SECONDS = 60;

interface Demo {
  readonly api: GatewayApi;
  readonly count: number;
  readonly deviceId: string | undefined;
  readonly timeoutSeconds: number | undefined;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      'api-key': { type: 'string' },
      count: { type: 'string' },
      device: { type: 'string' },
      timeout: { type: 'string' },
      phones: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const phones = values.phones === undefined ? undefined : wholeNumber('--phones', values.phones, 20);
  const count = wholeNumber(
    '--count',
    values.count ?? String(Math.min(1_000, (phones ?? 0) * 80) || 25),
    1_000,
  );
  const timeoutSeconds =
    values.timeout === undefined ? undefined : wholeNumber('--timeout', values.timeout, 86_400);
  const address = findService({ url: values.url, apiKey: values['api-key'] });
  const api = new GatewayApi(address);
  console.log(`service: ${address.url}`);
  if (phones !== undefined) {
    if (!(await runPoolDemo({ address, api, phones, count, timeoutSeconds }))) process.exitCode = 1;
    return;
  }
  const messages = await sendAndFollow({ api, count, deviceId: values.device, timeoutSeconds });
  report(messages);
  if (messages.some(({ status }) => status !== 'delivered')) process.exitCode = 1;
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${name} must be a whole number from 1 to ${most}`);
  return value;
}

async function sendAndFollow({ api, count, deviceId, timeoutSeconds }: Demo): Promise<DemoMessage[]> {
  const devices = await api.devices();
  const device = devices.find(({ _id }) => _id === deviceId) ?? devices.find(({ enabled }) => enabled);
  if (device === undefined) {
    throw new Error('no enabled phone is paired with this account: npm start pairs a virtual one');
  }
  const batchId = await api.send('Hello from the messaging gateway', recipients(count), deviceId);
  console.log(`sending ${count} messages from ${labelOf(device)}, batch ${batchId}`);
  const seconds = timeoutSeconds ?? count * Math.max(1, device.smsSendDelaySeconds) + ALLOWANCE_SECONDS;
  return follow(api, await deviceOfBatch(api, [device, ...devices], batchId), batchId, seconds);
}

/** Without a usable default device the service chooses another one. */
async function deviceOfBatch(
  api: GatewayApi,
  devices: readonly DeviceResponse[],
  batchId: string,
): Promise<DeviceResponse> {
  for (const device of devices) {
    if ((await api.batchMessages(device._id, batchId)) !== undefined) return device;
  }
  throw new Error(`no device of the account has batch ${batchId}`);
}

async function follow(
  api: GatewayApi,
  device: DeviceResponse,
  batchId: string,
  seconds: number,
): Promise<DemoMessage[]> {
  const display = new StatusDisplay(process.stdout);
  const deadline = Date.now() + seconds * 1000;
  let messages: DemoMessage[] = [];
  for (;;) {
    messages = (await readThroughOutage(api, device, batchId)) ?? messages;
    const counts = countStatuses(messages);
    const settled = messages.length > 0 && counts.delivered + counts.failed === messages.length;
    if (settled || Date.now() >= deadline) {
      display.finish(counts, Date.now());
      if (!settled)
        console.log(`not delivered within ${seconds} s: check that the phone (${labelOf(device)}) is online`);
      return messages;
    }
    display.show(counts, Date.now());
    await sleep(POLL_EVERY_MS);
  }
}

/** A restart of the service loses no message. */
async function readThroughOutage(
  api: GatewayApi,
  device: DeviceResponse,
  batchId: string,
): Promise<DemoMessage[] | undefined> {
  try {
    return await api.batchMessages(device._id, batchId);
  } catch (error) {
    if (error instanceof NoResponse || (error instanceof ApiError && !error.isPermanent)) return undefined;
    throw error;
  }
}

function labelOf({ name, brand, model }: DeviceResponse): string {
  return sanitizeLine(name ?? `${brand} ${model}`);
}

function report(messages: readonly DemoMessage[]): void {
  console.log(`\n${timeline(messages)}\n`);
  console.log(`${messages.length} messages: ${statusLine(countStatuses(messages))}`);
  const times = deliveryTimes(messages);
  if (times !== undefined) console.log(times);
}

main().catch((error: unknown) => {
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
