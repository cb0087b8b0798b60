import { parseArgs } from 'node:util';
import { connect } from '../client/index';
import { findService, type ServiceAddress } from './demo/service-address';
import { Progress } from './progress';
import { dataOf } from './refusal';
import { Campaign, MOST_A_BATCH, type Outcome } from './send/campaign';
import { CampaignDisplay } from './send/campaign-display';
import { ContactList } from './send/contact-list';
import { faultLines, type Survey, survey } from './send/survey';
import { Template } from './send/template';

const USAGE = `Sends a text to everybody in a CSV file. Run again after an interruption, it goes on and sends nothing twice.

  npm run send -- --csv contacts.csv --message "Hi {name}"

  --csv FILE         the contacts: UTF-8, the first line names the columns
  --message TEXT     the text; {name} stands for what the column "name" says
  --column NAME      the column with the phone numbers (default: the one called phone or recipient)
  --skip-invalid     send to the others when there are lines nothing can be sent for
  --dry-run          check the file and show the first message, send nothing
  --device ID        the device to send from (default: as the service chooses)
  --campaign NAME    a name, to send a text again to a file it has been sent to before
  --batch-size N     messages a request, 1 to ${MOST_A_BATCH} (default: ${MOST_A_BATCH})
  --url, --api-key   the service (default: $MGW_URL and $API_KEY, else the one npm start runs)
`;

const STOPPED_EXIT_CODE = 130;

/** The user has had enough. */
class Stopped extends Error {}

interface Command {
  readonly csv: string;
  readonly message: string;
  readonly column: string | undefined;
  readonly skipInvalid: boolean;
  readonly dryRun: boolean;
  readonly deviceId: string | undefined;
  readonly name: string | undefined;
  readonly batchSize: number;
  readonly service: Partial<ServiceAddress>;
}

/** @throws Error with one line for people if the arguments do not make sense. */
function readCommand(): Command | 'help' {
  const { values } = parseArgs({
    options: {
      csv: { type: 'string' },
      message: { type: 'string' },
      column: { type: 'string' },
      'skip-invalid': { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      device: { type: 'string' },
      campaign: { type: 'string' },
      'batch-size': { type: 'string', default: String(MOST_A_BATCH) },
      url: { type: 'string' },
      'api-key': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const { csv, message } = values;
  if (!csv) throw new Error('--csv is missing: the file with the contacts');
  if (!message?.trim()) throw new Error('--message is missing: the text to send');
  const batchSize = Number(values['batch-size']);
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > MOST_A_BATCH)
    throw new Error(`--batch-size must be a whole number from 1 to ${MOST_A_BATCH}`);
  return {
    csv,
    message,
    column: values.column,
    skipInvalid: values['skip-invalid'],
    dryRun: values['dry-run'],
    deviceId: values.device,
    name: values.campaign,
    batchSize,
    service: { url: values.url, apiKey: values['api-key'] },
  };
}

async function run(command: Command): Promise<void> {
  const list = await ContactList.open(command.csv, Template.parse(command.message), command.column);
  const found = await new Progress('Contacts').step(`checking ${command.csv}`, () => survey(list));
  for (const line of faultLines(found)) console.error(line);
  if (found.faultCount > 0 && !command.skipInvalid) {
    throw new Error(
      `nothing was sent, because of ${lines(found.faultCount)}: correct the file, or leave them out with --skip-invalid`,
    );
  }
  if (found.first === undefined) throw new Error(`${command.csv} has nobody to send to`);
  if (command.dryRun) {
    console.log(`${found.count} messages, the first to ${found.first.recipient}: ${found.first.message}`);
    return;
  }
  report(await send(command, list, found), found);
}

async function send(command: Command, list: ContactList, { count, hash }: Survey): Promise<Outcome> {
  const { url, apiKey } = findService(command.service);
  const gateway = connect(url, apiKey);
  // Where the service or the key is wrong, it should be said at once.
  dataOf(await gateway.getStats({ signal: AbortSignal.timeout(15_000) }));
  const stop = new AbortController();
  // Once: a second Ctrl-C ends the process at once, which is safe as well.
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
    stop: stop.signal,
    onProgress: (queued, note) => {
      display.show(queued, note);
    },
  });
  try {
    return await campaign.send(list);
  } finally {
    display.finish();
  }
}

function report({ queued, batches, before, completionAt }: Outcome, { faultCount }: Survey): void {
  const parts = [`${queued} messages are queued in ${batches} ${batches === 1 ? 'batch' : 'batches'}`];
  if (before > 0) parts.push(`${before} of them were by an earlier run`);
  if (faultCount > 0) parts.push(`${lines(faultCount)} left out`);
  if (completionAt !== undefined) parts.push(`the phone should be done by ${completionAt.toISOString()}`);
  console.log(parts.join('; '));
  if (before === queued)
    console.log(
      'Nothing was sent by this run. To send this text to this file again, name it: --campaign NAME',
    );
}

const lines = (count: number) => `${count} ${count === 1 ? 'line' : 'lines'} nothing can be sent for`;

async function main(): Promise<void> {
  const command = readCommand();
  if (command === 'help') console.log(USAGE);
  else await run(command);
}

main().catch((error: unknown) => {
  if (error instanceof Stopped) {
    console.error('stopped; to go on, run the same command again');
    process.exitCode = STOPPED_EXIT_CODE;
    return;
  }
  console.error(`send: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
