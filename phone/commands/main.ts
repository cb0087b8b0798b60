#!/usr/bin/env node
import { install, INSTALL_USAGE } from './install';
import { pair, PAIR_USAGE } from './pair';
import { run, RUN_USAGE } from './run';
import { status, STATUS_USAGE } from './status';

const USAGE = `A phone of the messaging gateway without Android: a GSM modem, the app SMSGate in the local network, or a virtual phone.

  messaging-gateway-phone pair CODE --url URL   pairs it with a code of the dashboard
  messaging-gateway-phone run                   runs it
  messaging-gateway-phone status                says whether all is well
  messaging-gateway-phone install               prints a systemd unit

"messaging-gateway-phone COMMAND --help" has the options of a command.
`;

const USAGES = { pair: PAIR_USAGE, run: RUN_USAGE, status: STATUS_USAGE, install: INSTALL_USAGE } as const;

async function main([command = 'help', ...args]: readonly string[]): Promise<void> {
  const isHelp = args.includes('--help') || args.includes('-h');
  if (isHelp && isCommand(command)) {
    console.log(USAGES[command]);
    return;
  }
  switch (command) {
    case 'pair':
      await pair(args, process.env);
      return;
    case 'run':
      await run(args, process.env);
      return;
    case 'status':
      if (!(await status(args, process.env))) process.exitCode = 1;
      return;
    case 'install':
      install(args, process.env, __filename);
      return;
    case 'help':
    case '--help':
    case '-h':
      console.log(USAGE);
      return;
    default:
      throw new Error(`${command} is no command: pair, run, status and install are`);
  }
}

function isCommand(name: string): name is keyof typeof USAGES {
  return name in USAGES;
}

// For example a ledger on a full disk.
process.on('uncaughtException', fail);
main(process.argv.slice(2)).catch(fail);

function fail(error: unknown): void {
  console.error(`messaging-gateway-phone: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
