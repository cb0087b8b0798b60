import { parseArgs } from 'node:util';
import { findService, type ServiceAddress } from './demo/service-address';
import { incomingSms, PhoneApi, VIRTUAL_MODEL } from 'messaging-gateway-phone';

const USAGE = `The virtual phone receives an SMS and uploads it, like a real phone.

  npm run phone:receive -- --from +447700900123 "Yes, please"

  --from SENDER      a number, a short code or a name
  --url, --api-key   the service (default: $MGW_URL and $API_KEY, else the running npm start)
`;

interface Command {
  readonly sender: string;
  readonly text: string;
  readonly service: Partial<ServiceAddress>;
}

/** @throws Error for invalid arguments. */
function readCommand(): Command | 'help' {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      url: { type: 'string' },
      'api-key': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const [text = '', ...others] = positionals;
  if (!values.from?.trim()) throw new Error('--from is missing: the sender, such as +447700900123');
  if (text.trim() === '') throw new Error('the text is missing: put it after the options, in quotes');
  if (others.length > 0) throw new Error(`more than one text: put the text in quotes`);
  return { sender: values.from.trim(), text, service: { url: values.url, apiKey: values['api-key'] } };
}

/** @throws Error, RequestError */
async function receive({ sender, text, service }: Command): Promise<void> {
  const { url, apiKey } = findService(service);
  const api = new PhoneApi({ baseUrl: url, apiKey });
  try {
    const devices = await api.devices();
    const phone = devices.find(({ model, enabled }) => model === VIRTUAL_MODEL && enabled);
    if (!phone) {
      throw new Error(
        'no virtual phone is enabled on this account: npm start pairs one while no phone of your own is enabled',
      );
    }
    await api.uploadIncoming(phone._id, incomingSms(sender, text, Date.now()));
    console.log(`Received from ${sender} by the virtual phone ${phone._id}`);
  } finally {
    api.close();
  }
}

async function main(): Promise<void> {
  const command = readCommand();
  if (command === 'help') console.log(USAGE);
  else await receive(command);
}

main().catch((error: unknown) => {
  console.error(`phone:receive: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
