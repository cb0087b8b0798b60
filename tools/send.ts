import { parseArgs } from 'node:util';
import { connect, type MessagingGateway } from 'messaging-gateway-client';
import { findService, type ServiceAddress } from './demo/service-address';
import { Progress } from 'messaging-gateway-local-stack/progress';
import { dataOf } from './api-error';
import { Campaign, MAX_BATCH_SIZE, type Outcome, type SentBatch } from './send/campaign';
import { CampaignDisplay } from './send/campaign-display';
import { OLD_ENCODINGS } from '../src/common/csv/csv-format';
import { ContactList } from './send/contact-list';
import { readSendTime } from './send/send-time';
import { errorLines, type ContactCheck, checkContacts } from './send/check-contacts';
import { Template } from './send/template';

const USAGE = `Sends a text to the contacts in a CSV file. After an interruption, the same command continues and sends nothing twice.

  npm run send -- --csv contacts.csv --message "Hi {name}"

  --csv FILE         the contacts: UTF-8, the first line names the columns; or numbers alone
  --message TEXT     the text; {name} is replaced by the column "name"
  --encoding NAME    the encoding of the file, if it is not UTF-8 or UTF-16: windows-1251, windows-1255, koi8-r...
  --column NAME      the column with the phone numbers (default: phone or recipient)
  --skip-invalid     skip invalid lines
  --dry-run          check the file and show the first message, send nothing
  --device ID        the device to send from (default: chosen by the service)
  --at TIME          when to send, at most 30 days ahead: "2027-03-28 09:00" with --zone, or 2027-03-28T09:00+02:00
  --zone ZONE        the IANA time zone of --at, such as Europe/Berlin
  --urgent           before other messages, and without regard to quiet hours
  --campaign NAME    a name, to send the same text to the same file again
  --batch-size N     messages per request, 1 to ${MAX_BATCH_SIZE} (default: ${MAX_BATCH_SIZE})
  --cancel BATCH     cancel the unsent messages of this batch instead of sending; can be repeated
  --url, --api-key   the service (default: $MGW_URL and $API_KEY, else the running npm start)
`;

const STOPPED_EXIT_CODE = 130;

class Stopped extends Error {}

interface Cancellation {
  readonly cancel: readonly string[];
  readonly service: Partial<ServiceAddress>;
}

interface Command {
  readonly csv: string;
  readonly message: string;
  readonly column: string | undefined;
  readonly encoding: string | undefined;
  readonly skipInvalid: boolean;
  readonly dryRun: boolean;
  readonly deviceId: string | undefined;
  readonly scheduledAt: Date | undefined;
  readonly isUrgent: boolean;
  readonly name: string | undefined;
  readonly batchSize: number;
  readonly service: Partial<ServiceAddress>;
}

/** @throws Error for invalid arguments. */
function readCommand(): Command | Cancellation | 'help' {
  const { values } = parseArgs({
    options: {
      csv: { type: 'string' },
      message: { type: 'string' },
      column: { type: 'string' },
      encoding: { type: 'string' },
      'skip-invalid': { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      device: { type: 'string' },
      at: { type: 'string' },
      zone: { type: 'string' },
      urgent: { type: 'boolean', default: false },
      cancel: { type: 'string', multiple: true },
      campaign: { type: 'string' },
      'batch-size': { type: 'string', default: String(MAX_BATCH_SIZE) },
      url: { type: 'string' },
      'api-key': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const service = { url: values.url, apiKey: values['api-key'] };
  const { csv, message, at, zone } = values;
  if (values.cancel) {
    if (csv !== undefined || message !== undefined)
      throw new Error('--cancel cannot be combined with --csv or --message');
    return { cancel: values.cancel, service };
  }
  if (!csv) throw new Error('--csv is missing: the file with the contacts');
  if (!message?.trim()) throw new Error('--message is missing: the text to send');
  if (zone !== undefined && at === undefined) throw new Error('--zone needs --at');
  const batchSize = Number(values['batch-size']);
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > MAX_BATCH_SIZE)
    throw new Error(`--batch-size must be a whole number from 1 to ${MAX_BATCH_SIZE}`);
  return {
    csv,
    message,
    column: values.column,
    encoding: values.encoding === undefined ? undefined : readEncoding(values.encoding),
    skipInvalid: values['skip-invalid'],
    dryRun: values['dry-run'],
    deviceId: values.device,
    scheduledAt: at === undefined ? undefined : readSendTime(at, zone),
    isUrgent: values.urgent,
    name: values.campaign,
    batchSize,
    service,
  };
}

function readEncoding(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw new Error('--encoding must be one of ' + OLD_ENCODINGS.join(', '));
  }
}

async function run(command: Command): Promise<void> {
  const list = await ContactList.open(
    command.csv,
    Template.parse(command.message),
    command.column,
    command.encoding,
  );
  const found = await new Progress('Contacts').step(`checking ${command.csv}`, () => checkContacts(list));
  for (const line of errorLines(found)) console.error(line);
  if (found.invalidCount > 0 && !command.skipInvalid) {
    throw new Error(
      `nothing was sent, because of ${lines(found.invalidCount)}: correct the file, or skip them with --skip-invalid`,
    );
  }
  if (found.first === undefined) throw new Error(`${command.csv} has no contacts`);
  if (command.dryRun) {
    const when = command.scheduledAt === undefined ? '' : `, at ${command.scheduledAt.toISOString()}`;
    console.log(`${found.count} messages, first to ${found.first.recipient}${when}: ${found.first.message}`);
    return;
  }
  await send(command, list, found);
}

/** @throws Error, ApiError, NoResponse */
async function connectTo(service: Partial<ServiceAddress>): Promise<MessagingGateway> {
  const { url, apiKey } = findService(service);
  const gateway = connect(url, apiKey);
  dataOf(await gateway.getStats({ signal: AbortSignal.timeout(15_000) }));
  return gateway;
}

async function cancel({ cancel: batches, service }: Cancellation): Promise<void> {
  const gateway = await connectTo(service);
  for (const id of batches) {
    const [message] = dataOf(await gateway.listMessages({ query: { smsBatchId: id, limit: 1 } }));
    if (!message) throw new Error(`batch ${id} has no messages`);
    const path = { id: message.device._id, smsBatchId: id };
    const { cancelledCount } = dataOf(await gateway.cancelBatch({ path }));
    console.log(`batch ${id}: ${cancelledCount} ${cancelledCount === 1 ? 'message' : 'messages'} cancelled`);
  }
}

async function send(command: Command, list: ContactList, found: ContactCheck): Promise<void> {
  const { count, hash } = found;
  const gateway = await connectTo(command.service);
  const stop = new AbortController();
  // A second Ctrl-C ends the process at once, which is safe.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort(new Stopped());
    });
  }
  const display = new CampaignDisplay(process.stderr, count);
  const campaign = new Campaign(gateway, {
    identity: {
      fileHash: hash,
      message: command.message,
      phoneColumn: list.phoneColumn,
      name: command.name,
    },
    batchSize: command.batchSize,
    deviceId: command.deviceId,
    scheduledAt: command.scheduledAt,
    isUrgent: command.isUrgent,
    stop: stop.signal,
    onProgress: (queued, note) => {
      display.show(queued, note);
    },
  });
  try {
    const outcome = await campaign.send(list);
    display.finish();
    report(outcome, campaign.batches.length, found);
  } catch (failure) {
    display.finish();
    throw failure;
  } finally {
    listBatches(campaign.batches);
  }
}

/** Also after an interruption or failure, because queued messages are sent. */
function listBatches(batches: readonly SentBatch[]): void {
  if (batches.length === 0) return;
  for (const { id, messages } of batches) console.log(`batch ${id}: ${messages} messages`);
  const ids = batches.map(({ id }) => `--cancel ${id}`).join(' ');
  console.log(`To cancel unsent messages: npm run send -- ${ids}`);
}

function report(
  { queued, before, completionAt }: Outcome,
  batches: number,
  { invalidCount }: ContactCheck,
): void {
  const parts = [`${queued} messages are queued in ${batches} ${batches === 1 ? 'batch' : 'batches'}`];
  if (before > 0) parts.push(`${before} of them by an earlier run`);
  if (invalidCount > 0) parts.push(`${lines(invalidCount)} skipped`);
  if (completionAt !== undefined) parts.push(`the phone should finish by ${completionAt.toISOString()}`);
  console.log(parts.join('; '));
  if (before === queued)
    console.log('This run queued nothing. To send this text to this file again, add --campaign NAME');
}

const lines = (count: number) => `${count} invalid ${count === 1 ? 'line' : 'lines'}`;

async function main(): Promise<void> {
  const command = readCommand();
  if (command === 'help') console.log(USAGE);
  else if ('cancel' in command) await cancel(command);
  else await run(command);
}

main().catch((error: unknown) => {
  if (error instanceof Stopped) {
    console.error('stopped; to continue, run the same command again');
    process.exitCode = STOPPED_EXIT_CODE;
    return;
  }
  console.error(`send: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
