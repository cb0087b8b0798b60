import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildIfChanged } from './build';
import {
  getOrCreateSecret,
  requiredSecrets,
  StackUnavailable,
  startLocalStack,
} from 'messaging-gateway-local-stack';
import { loadEnvFile } from '../src/config/environment/env-file';
import { localUrl, readVariable, urlForPhones } from './start/addresses';
import { pairingMessage } from './start/pairing-message';
import { createSignInLink, emailOf, mayPrintLink, mayPrintSecrets } from './start/sign-in-link';
import { startMessage } from './start/start-message';

const ROOT = join(__dirname, '..');

const READY_WITHIN_MS = 30_000;
const BUILT_AND_READY_WITHIN_MS = 300_000;

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(join(ROOT, 'node_modules', '.bin', program), args, { stdio: 'inherit', env, cwd: ROOT });
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 0);
    });
  });
}

/** @returns undefined after the timeout. */
async function statusOf(url: string, apiKey: string, withinMs: number): Promise<number | undefined> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    try {
      const answer = await fetch(`${url}/api/v1/gateway/stats`, {
        headers: { 'x-api-key': apiKey },
        signal: AbortSignal.timeout(end - Date.now()),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      await sleep(100);
    }
  }
  return undefined;
}

function startVirtualPhone(url: string, apiKey: string, home: string): ChildProcess {
  const args = ['phone/commands/main.ts', 'run', '--url', url, '--send-delay', '1', '--fallback'];
  args.push('--ledger', join(home, 'virtual-phone.ledger'));
  return run('tsx', args, { ...process.env, API_KEY: apiKey });
}

/** With `--watch`, the service is built and restarted after each change. */
function startService(isWatching: boolean, env: NodeJS.ProcessEnv): ChildProcess {
  if (isWatching) return run('nest', ['start', '--watch', '--preserveWatchOutput'], env);
  const args = ['--enable-source-maps', join(ROOT, 'dist', 'main.js')];
  return spawn(process.execPath, args, { stdio: 'inherit', env, cwd: ROOT });
}

/** Runs an admin command. @returns its output; undefined if it fails, whose reason it prints. */
async function runAdmin(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const command = [join(ROOT, 'dist', 'admin.js'), ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'], env, cwd: ROOT });
  const [output, code] = await Promise.all([text(child.stdout), exitOf(child)]);
  return code === 0 ? output : undefined;
}

/** Prints a pairing code with the address for the app. */
async function printPairing(url: string, apiKey: string, env: NodeJS.ProcessEnv): Promise<void> {
  const email = await emailOf(url, apiKey);
  const output = email === undefined ? undefined : await runAdmin(['pairing', 'code', email], env);
  const message = pairingMessage(output ?? '');
  if (message !== undefined) console.log(message);
}

/** Set-up, build, and the whole service in one process, with a virtual phone while there is no other one. */
const NOT_A_TERMINAL =
  'The output is not a terminal, so it has no sign-in link and no pairing code: PRINT_SIGN_IN_LINK=true prints them.\n';

async function main(): Promise<number> {
  loadEnvFile(join(ROOT, '.env'));
  const { mongodbUri, redisUrl, home } = await startLocalStack();
  const isWatching = process.argv.includes('--watch');
  if (!isWatching && !(await buildIfChanged()))
    throw new StackUnavailable('The build failed. The reason is printed above.');
  const ownKey = readVariable(process.env, 'BOOTSTRAP_API_KEY');
  const apiKey = ownKey ?? getOrCreateSecret(home, 'api-key', { prefix: 'mgw_' });
  const env = {
    ...process.env,
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
    BOOTSTRAP_API_KEY: apiKey,
    ...requiredSecrets(home),
  };
  const child = startService(isWatching, env);
  const ended = exitOf(child);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));

  const url = localUrl(process.env);
  const note = join(home, 'running.json');
  const waitedMs = isWatching ? BUILT_AND_READY_WITHIN_MS : READY_WITHIN_MS;
  const status = await Promise.race([statusOf(url, apiKey, waitedMs), ended.then(() => 'ended' as const)]);
  const isTerminal = process.stdout.isTTY;
  if (status === 200 && mayPrintLink(process.env, isTerminal)) {
    const link = await createSignInLink(url, apiKey, (args) => runAdmin(args, env));
    if (link !== undefined) console.log(`Dashboard: ${link}\n`);
  }
  if (status === 200 && !mayPrintSecrets(process.env, isTerminal)) console.log(NOT_A_TERMINAL);
  let phone: ChildProcess | undefined;
  if (status !== 'ended') {
    const keyFile = ownKey === undefined ? join(home, 'api-key') : undefined;
    const forPhones = urlForPhones(process.env, networkInterfaces());
    console.log(startMessage({ status, waitedMs, url, urlForPhones: forPhones, keyFile }));
    if (status === 200 && mayPrintSecrets(process.env, isTerminal)) await printPairing(url, apiKey, env);
  }
  if (status === 200) {
    writeFileSync(note, JSON.stringify({ url, apiKey }), { mode: 0o600 });
    phone = startVirtualPhone(url, apiKey, home);
  }
  const code = await ended;
  phone?.kill('SIGTERM');
  rmSync(note, { force: true });
  return code;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof StackUnavailable ? error.message : error);
    process.exitCode = 1;
  },
);
