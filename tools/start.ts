import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keptSecret, requiredSecrets } from './local-stack/kept-secret';
import { startLocalStack } from './local-stack/local-stack';
import { StackUnavailable } from './local-stack/unavailable';
import { Progress } from './progress';

/** How long the service may take to answer before the phone is not paired. */
const READY_WITHIN_MS = 30_000;
const ROOT = join(__dirname, '..');

const service = new Progress('Service');

/** Runs a program of the project's own. */
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

async function build(): Promise<void> {
  const code = await service.step('building', () => exitOf(run('nest', ['build'], process.env)));
  if (code !== 0) throw new StackUnavailable('The build failed; what is wrong stands above.');
}

/** What the service answers to the key: its status, or nothing if it did not come up. */
async function statusOf(url: string, apiKey: string): Promise<number | undefined> {
  const end = Date.now() + READY_WITHIN_MS;
  while (Date.now() < end) {
    try {
      const answer = await fetch(`${url}/api/v1/gateway/stats`, { headers: { 'x-api-key': apiKey } });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      await sleep(100);
    }
  }
  return undefined;
}

function pairVirtualPhone(url: string, apiKey: string, home: string): ChildProcess {
  const args = ['tools/virtual-phone/main.ts', '--url', url, '--send-delay', '1'];
  args.push('--ledger', join(home, 'virtual-phone.ledger'));
  return run('tsx', args, { ...process.env, API_KEY: apiKey });
}

function explain(url: string, keyFile: string): void {
  console.log(`
Without Firebase credentials (FIREBASE_PROJECT_ID) a virtual phone is paired. Send it a message:

  curl ${url}/api/v1/gateway/send-sms \\
    -H "x-api-key: $(cat ${keyFile})" -H 'content-type: application/json' \\
    -d '{"message": "Hello", "recipients": ["+4915112345678"]}'

or 25 with a progress bar: npm run demo
`);
}

/** Set-up, build, and the whole service in one process, with a virtual phone paired if there is no Firebase. */
async function main(): Promise<number> {
  const envFile = join(ROOT, '.env');
  if (existsSync(envFile)) process.loadEnvFile(envFile);
  const { mongodbUri, redisUrl, home } = await startLocalStack();
  await build();
  const apiKey = process.env.BOOTSTRAP_API_KEY ?? keptSecret(home, 'api-key', { prefix: 'mgw_' });
  const child = spawn(process.execPath, ['--enable-source-maps', join(ROOT, 'dist', 'main.js')], {
    stdio: 'inherit',
    cwd: ROOT,
    env: {
      ...process.env,
      MONGODB_URI: mongodbUri,
      REDIS_URL: redisUrl,
      BOOTSTRAP_API_KEY: apiKey,
      ...requiredSecrets(home),
    },
  });
  const ended = exitOf(child);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));

  const url = `http://127.0.0.1:${process.env.PORT ?? '3000'}`;
  const note = join(home, 'running.json');
  const status = await Promise.race([statusOf(url, apiKey), ended.then(() => undefined)]);
  let phone: ChildProcess | undefined;
  if (status === 200) {
    writeFileSync(note, JSON.stringify({ url, apiKey }), { mode: 0o600 });
    if (!process.env.FIREBASE_PROJECT_ID) {
      phone = pairVirtualPhone(url, apiKey, home);
      explain(url, join(home, 'api-key'));
    }
  } else if (status === 401) {
    service.say(
      'the database has accounts already, and BOOTSTRAP_API_KEY opens none: no virtual phone is paired',
    );
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
